// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CUmockdev
import Glibc

/// A real bus in a process of its own, which watches a ``SyntheticPhone`` through the real libudev.
///
/// It is the program that runs this, started once more: no other needs to be installed. It ends with this object,
/// and with this process, however that ends. It keeps its phone.
public final class PhoneBus {
    /// A configuration quick enough for tests: a sensor is sampled every 20 ms, and nothing settles.
    public static let quick = """
        { battery: { levelInterval: 0, settleInterval: 10 },
          proximity: { sampleInterval: 0.02 }, orientation: { sampleInterval: 0.02, settle: 0 },
          idleSampleInterval: 0.5, defaults: { settle: 0.01, deletionGrace: 0.1 } }
        """

    /// Where it listens: `unix:PATH`.
    public let address: String
    /// What it logged so far, for a test that fails.
    public var log: String { phone.directory.read("bus.log") }

    private let phone: SyntheticPhone
    private var process: ChildProcess
    private var lifeline: Int32

    init(_ phone: SyntheticPhone, configuration: String) throws(TestbedError) {
        self.phone = phone
        address = phone.address
        try phone.directory.write(configuration, to: "bus.json5")
        (process, lifeline) = try Self.start(phone)
    }

    deinit {
        process.signal(SIGTERM)
        close(lifeline)
        process.wait()
    }

    /// Its process id.
    public var processIdentifier: Int32 { process.pid }

    /// Ends it in good order, and waits until it has ended; subscribers see the end of their streams.
    ///
    /// - Returns: Its exit code: 0, or 128 and a signal when it had crashed.
    @discardableResult
    public func stop() -> Int32 {
        process.signal(SIGTERM)
        return process.wait()
    }

    /// Ends it as a crash would, and waits until it has ended.
    public func kill() {
        process.signal(SIGKILL)
        process.wait()
    }

    /// Starts it again, after ending it if it runs; subscribers that resume by their positions miss nothing.
    ///
    /// - Throws: `TestbedError` when it does not start.
    public func restart() throws(TestbedError) {
        stop()
        close(lifeline)
        lifeline = -1
        (process, lifeline) = try Self.start(phone)
    }

    /// Starts the process, and waits until it accepts connections.
    private static func start(_ phone: SyntheticPhone) throws(TestbedError) -> (ChildProcess, lifeline: Int32) {
        let (theirInput, lifeline) = try Testbed.pipe()
        let (answers, theirOutput) = try Testbed.pipe()
        defer { close(answers) }
        let log = try phone.directory.open("bus.log")
        var environment = phone.environment
        for name in ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC", "WATCHDOG_PID"] {
            environment[name] = nil
        }
        environment["RUNTIME_DIRECTORY"] = nil
        environment[String(cString: c_reveille_phone_bus_variable())] = "1"
        let process: ChildProcess
        do throws(TestbedError) {
            defer { for descriptor in [theirInput, theirOutput, log] { close(descriptor) } }
            process = try ChildProcess(
                ["/proc/self/exe", phone.address, phone.files, phone.home, phone.directory.path + "/bus.json5"],
                environment: environment, descriptors: [0: theirInput, 1: theirOutput, 2: log],
                isApart: true)
        } catch {
            close(lifeline)
            throw error
        }
        var answer = [UInt8](repeating: 0, count: 1_024)
        var count = -1
        repeat { count = read(answers, &answer, answer.count) } while count < 0 && errno == EINTR
        let line = String(decoding: answer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard line == "ok" else {
            close(lifeline)
            throw TestbedError("the phone's bus did not start: \(line.isEmpty ? "it ended" : line)")
        }
        return (process, lifeline)
    }
}

extension SyntheticPhone {
    /// Starts the phone's bus, and waits until it accepts connections; a phone has one at a time.
    ///
    /// - Parameter configuration: JSON5, as `reveille serve --config` takes it.
    /// - Returns: The bus, which ends with its last reference.
    /// - Throws: `TestbedError` when it does not start, with the reason: what is wrong in the configuration, say.
    public func startBus(configuration: String = PhoneBus.quick) throws(TestbedError) -> PhoneBus {
        try PhoneBus(self, configuration: configuration)
    }
}
