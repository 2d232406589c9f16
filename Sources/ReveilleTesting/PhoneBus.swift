// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CUmockdev
import Glibc
import ReveilleSystem

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
    private var link: PhoneBusLink

    init(_ phone: SyntheticPhone, configuration: String) throws(TestbedError) {
        self.phone = phone
        address = phone.address
        try phone.directory.write(configuration, to: "bus.json5")
        (process, link) = try Self.start(phone)
    }

    deinit {
        stop()
    }

    /// Its process id.
    public var processIdentifier: Int32 { process.pid }

    /// Ends it in good order, and waits until it has ended; subscribers see the end of their streams.
    ///
    /// - Returns: Its exit code: 0, or 128 and a signal when it had crashed.
    @discardableResult
    public func stop() -> Int32 {
        process.signal(SIGTERM)
        // A process that is stopped does not see its end.
        process.signal(SIGCONT)
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
        (process, link) = try Self.start(phone)
    }

    /// Starts the process, and waits until it accepts connections.
    private static func start(_ phone: SyntheticPhone) throws(TestbedError) -> (ChildProcess, PhoneBusLink) {
        let (process, stream) = try spawn(phone)
        let link = PhoneBusLink(stream, to: process)
        try link.waitForStart()
        phone.testbed.bus = link
        return (process, link)
    }

    private static func spawn(_ phone: SyntheticPhone) throws(TestbedError) -> (ChildProcess, UnixStream) {
        let ours: UnixStream
        let theirs: UnixStream
        do throws(SystemError) { (ours, theirs) = try UnixStream.pair() } catch { throw TestbedError("\(error)") }
        let log = try phone.directory.open("bus.log")
        defer { close(log) }
        var environment = phone.environment
        for name in ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC", "WATCHDOG_PID"] {
            environment[name] = nil
        }
        environment["RUNTIME_DIRECTORY"] = nil
        environment[String(cString: c_reveille_phone_bus_variable())] = "1"
        return try withExtendedLifetime(theirs) { () throws(TestbedError) in
            let process = try ChildProcess(
                ["/proc/self/exe", phone.address, phone.files, phone.home, phone.directory.path + "/bus.json5"],
                environment: environment, descriptors: [0: theirs.number, 1: theirs.number, 2: log], isApart: true)
            return (process, ours)
        }
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
