// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
public import ReveilleCore
import ReveilleSystem

/// The result of a program that ran on a ``SyntheticPhone``.
public struct ProgramResult: Sendable, Hashable {
    /// The exit code, or 128 plus the signal that ended the program.
    public let exitCode: Int32
    /// The output to stdout.
    public let output: String
    /// The output to stderr.
    public let errors: String
}

extension SyntheticPhone {
    /// The environment for programs on this phone, derived from the environment of this process.
    ///
    /// `HOME` and `XDG_RUNTIME_DIR` are the phone's directories, as paths of this machine. After
    /// ``startBus(configuration:)``, the phone's bus has its usual place in `XDG_RUNTIME_DIR`. `REVEILLE_ADDRESS` also
    /// names the bus, for programs run by root, which would otherwise use the system's bus. `REVEILLE_ROOT` is
    /// ``files``, for `reveille doctor` and `reveille serve`. `DBUS_SYSTEM_BUS_ADDRESS` leads to the phone, which has no
    /// message bus. Variables that lead to the real user's directories are removed.
    public var environment: [String: String] {
        var variables = testbed.environment.filter { name, _ in
            !(name.hasPrefix("XDG_") && (name.hasSuffix("_HOME") || name.hasSuffix("_DIR")))
        }
        variables["HOME"] = files + home
        variables["XDG_RUNTIME_DIR"] = runtime.path
        variables["REVEILLE_ADDRESS"] = address
        variables["REVEILLE_ROOT"] = files
        // The phone has neither this machine's message bus nor its login manager.
        variables["DBUS_SYSTEM_BUS_ADDRESS"] = Self.messageBus(files: files)
        return variables
    }

    /// The address of a message bus in the phone's files, which nobody serves.
    static func messageBus(files: String) -> String { "unix:path=" + files + "/run/dbus/system_bus_socket" }

    /// Runs a program on the phone and waits until it has ended.
    ///
    /// ```swift
    /// let result = try await phone.run(["reveille", "get", "battery"])
    /// print(result.exitCode, result.output)
    /// ```
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in `PATH`, and its arguments. Its stdin is empty.
    ///   - environment: Additional variables, which override ``environment``.
    ///   - timeout: The time after which the program is killed.
    /// - Returns: The exit code and the output.
    /// - Throws: `TestbedError` if the program cannot be started, or has not ended in time.
    public nonisolated(nonsending) func run(
        _ arguments: [String], environment: [String: String] = [:], timeout: Duration = .seconds(60)
    ) async throws(TestbedError) -> ProgramResult {
        let environment = self.environment.merging(environment) { $1 }
        let result: Result<ProgramResult, TestbedError> = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                // Waiting for a program would hold a thread that all tasks share.
                try Pthread.start {
                    continuation.resume(
                        returning: Result { () throws(TestbedError) in
                            try Self.result(of: arguments, environment, timeout)
                        })
                }
            } catch {
                continuation.resume(returning: .failure(TestbedError("\(error)")))
            }
        }
        return try result.get()
    }

    private static func result(
        of arguments: [String], _ environment: [String: String], _ timeout: Duration
    ) throws(TestbedError) -> ProgramResult {
        let scratch = try TemporaryDirectory()
        let input = try scratch.open("stdin")
        let output = try scratch.open("stdout")
        let errors = try scratch.open("stderr")
        defer { for descriptor in [input, output, errors] { close(descriptor) } }
        let code = try TestbedError.requiring { () throws(SystemError) in
            let process = try ChildProcess(
                arguments, environment: environment, descriptors: [0: input, 1: output, 2: errors])
            guard try Readiness.waitForEnd(of: process.pid, atMost: timeout) else {
                // The end of its owner kills the process.
                throw SystemError("wait for the end", on: arguments[0], code: ETIMEDOUT)
            }
            return process.wait()
        }
        return ProgramResult(exitCode: code, output: scratch.read("stdout"), errors: scratch.read("stderr"))
    }

    var address: String { "unix:" + runtime.path + Self.socket }

    /// The path of a user's bus below the runtime directory.
    static let socket = "/reveille/org.reveille.Bus"
}

extension SyntheticPhone {
    /// Publishes a state on the phone's bus, as a program on the phone would.
    ///
    /// The state remains until it is published again or withdrawn. The call returns once the bus has the state.
    ///
    /// ```swift
    /// try phone.publish(PublishedName("org.example.volume"), ["level": 0.5])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: A value that is encoded as a JSON object.
    /// - Throws: `TestbedError` if the phone has no bus, or the name or the value cannot be published.
    public func publish<Value: Encodable>(_ name: PublishedName<Value>, _ value: Value) throws(TestbedError) {
        try onBus { bus throws(ReveilleError) in try bus.publish(PublishedValue(name.aspect, encoding: value)) }
    }

    /// Withdraws a published state from the phone's bus, whichever program published it.
    ///
    /// ```swift
    /// try phone.withdraw(PublishedName<[String: Double]>("org.example.volume"))
    /// ```
    ///
    /// - Throws: `TestbedError` if the phone has no bus, or the name is invalid.
    public func withdraw<Value>(_ name: PublishedName<Value>) throws(TestbedError) {
        try onBus { bus throws(ReveilleError) in try bus.publish(PublishedValue(withdrawing: name.aspect)) }
    }

    private func onBus(_ body: (BlockingClient) throws(ReveilleError) -> Void) throws(TestbedError) {
        guard testbed.bus != nil else { throw TestbedError("the phone has no bus; startBus() starts one") }
        do {
            try body(BlockingClient(UnixAddress(address)))
        } catch {
            throw TestbedError("\(error)")
        }
    }
}
