// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CUmockdev
import Glibc
import Logging
import ReveilleService
import ReveilleSystem

extension SyntheticPhone {
    /// What a bus is configured as, where a test says nothing: sensors are sampled twenty times a second, and nothing
    /// waits to settle.
    public static let quickConfiguration = """
        { battery: { levelInterval: 0, settleInterval: 10 }, proximity: { sampleInterval: 0.05 },
          orientation: { sampleInterval: 0.05, settle: 0 } }
        """

    /// Starts a real bus that sees this phone, in a process of its own.
    ///
    /// - Parameter configuration: JSON5, as `reveille serve --config` takes it.
    /// - Returns: The bus, which ends with its owner.
    /// - Throws: `TestbedError` when it cannot be started.
    public func startBus(configuration: String = quickConfiguration) throws(TestbedError) -> PhoneBus {
        try write(configuration, to: PhoneBus.configurationPath)
        return try PhoneBus(self)
    }
}

/// A bus that serves a ``SyntheticPhone``, for as long as somebody has it.
///
/// It is this very program, started again under the phone's environment, so nothing needs to be installed.
public final class PhoneBus {
    static let configurationPath = "/reveille.json5"
    private static let rootVariable = "REVEILLE_PHONE_ROOT"

    /// Where clients reach it: `unix:PATH`.
    public let address: String

    private let phone: SyntheticPhone
    /// Whoever connects before the bus is up, or while it is replaced, waits here.
    private let listener: UnixListener
    private var process: ChildProcess?
    /// Closed to end the process, by us or by our own end.
    private var lifeline: OwnedDescriptor?

    init(_ phone: SyntheticPhone) throws(TestbedError) {
        self.phone = phone
        address = "unix:\(phone.files)/bus"
        do {
            listener = try UnixListener(at: try UnixAddress(address))
        } catch {
            throw TestbedError("\(error)")
        }
        try start()
    }

    deinit {
        stop()
    }

    /// What a program needs in its environment to run on the phone and find its bus.
    public var environment: [String: String] {
        phone.environment.merging(["REVEILLE_ADDRESS": address]) { $1 }
    }

    /// Ends the bus, and starts another one that goes on from its state; nobody is refused meanwhile.
    ///
    /// - Parameter isKilled: It is killed, with no time to say or to save anything.
    public func restart(isKilled: Bool = false) throws(TestbedError) {
        if isKilled { process?.signal(SIGKILL) }
        stop()
        try start()
    }

    private func stop() {
        lifeline = nil
        process?.wait()
        process = nil
    }

    private func start() throws(TestbedError) {
        var ends: [Int32] = [-1, -1]
        guard c_reveille_pipe(&ends) == 0 else { throw TestbedError("pipe2: \(String(cString: strerror(errno)))") }
        let theirs = OwnedDescriptor(ends[0])
        lifeline = OwnedDescriptor(ends[1])
        var environment = phone.environment
        environment[C_REVEILLE_PHONE_BUS] = address
        environment[Self.rootVariable] = phone.files
        environment["LISTEN_FDS"] = "1"
        environment["XDG_CONFIG_HOME"] = nil
        environment["RUNTIME_DIRECTORY"] = nil
        environment["NOTIFY_SOCKET"] = nil
        process = try ChildProcess(
            ["/proc/self/exe"], environment: environment, descriptors: [0: theirs.number, 3: listener.number])
    }

    /// Serves a phone in a process that was started for it, until its lifeline is cut.
    fileprivate static func serve() throws {
        guard let address = Environment[C_REVEILLE_PHONE_BUS], let root = Environment[rootVariable] else { return }
        setenv("LISTEN_PID", "\(getpid())", 1)
        try Pthread.start {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR {}
            kill(getpid(), SIGTERM)
        }
        var logger = Logger(label: "reveille") { StreamLogHandler.standardError(label: $0) }
        // That it starts and stops is no news in a test.
        logger.logLevel = .warning
        let service = try Service(
            address: try UnixAddress(address), configuration: try Configuration(readingFile: root + configurationPath),
            files: .own(root: root), version: "phone",
            logger: logger)
        try service.run()
    }
}

/// What the constructor of CUmockdev calls in place of `main`.
@c(c_reveille_serve_phone)
func servePhone() -> CInt {
    do {
        try PhoneBus.serve()
        return 0
    } catch {
        let line = Array("reveille: the bus of a synthetic phone: \(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        return 1
    }
}
