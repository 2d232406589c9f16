// SPDX-License-Identifier: Apache-2.0

import CUmockdev
import Glibc
import ReveilleSystem

/// A real bus in a separate process, which watches a ``SyntheticPhone`` through the real libudev.
///
/// The process runs the current executable again, so no other program is required. The bus ends with this object, or
/// with the current process, even after a crash. The bus retains its phone.
///
/// ```swift
/// let phone = try SyntheticPhone()
/// let bus = try phone.startBus()
/// let device = try await Device.connect(to: bus.address)
/// bus.kill()
/// try bus.restart()  // subscriptions of the device resume
/// ```
public final class PhoneBus {
    /// A configuration with short intervals for tests.
    ///
    /// Sensors are sampled every 20 ms, and nothing has to settle. The folder `documents` is the phone's `~/Documents`.
    public static let quick = """
        { battery: { levelInterval: 0, settleInterval: 10 },
          proximity: { sampleInterval: 0.02 }, orientation: { sampleInterval: 0.02, settle: 0 },
          idleSampleInterval: 0.5, defaults: { settle: 0.01, deletionGrace: 0.1 },
          folders: { documents: "~/Documents" } }
        """

    /// The address of the bus, in the form `unix:PATH`.
    public let address: String
    /// The log of the bus so far, for example to print when a test fails.
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

    /// The process ID of the bus.
    public var processIdentifier: Int32 { process.pid }

    /// Stops the bus, which ends the streams of subscribers, and waits until its process has ended.
    ///
    /// - Returns: The exit code: 0, or 128 plus a signal if the bus crashed.
    @discardableResult
    public func stop() -> Int32 {
        process.signal(SIGTERM)
        // A stopped process does not handle SIGTERM.
        process.signal(SIGCONT)
        return process.wait()
    }

    /// Kills the bus as a crash would, and waits until its process has ended.
    public func kill() {
        process.signal(SIGKILL)
        process.wait()
    }

    /// Restarts the bus, running or not, without missed changes for subscribers that resume from their positions.
    ///
    /// - Throws: `TestbedError` if the bus does not start.
    public func restart() throws(TestbedError) {
        stop()
        (process, link) = try Self.start(phone)
    }

    private static func start(_ phone: SyntheticPhone) throws(TestbedError) -> (ChildProcess, PhoneBusLink) {
        let (process, stream) = try spawn(phone)
        let link = PhoneBusLink(stream, to: process)
        try link.waitForStart()
        phone.testbed.bus = link
        return (process, link)
    }

    private static func spawn(_ phone: SyntheticPhone) throws(TestbedError) -> (ChildProcess, UnixStream) {
        let log = try phone.directory.open("bus.log")
        defer { close(log) }
        var environment = phone.environment
        let supervision = ["NOTIFY_SOCKET", "LISTEN_FDS", "LISTEN_PID", "WATCHDOG_USEC", "WATCHDOG_PID"]
        for name in supervision + ["RUNTIME_DIRECTORY"] { environment[name] = nil }
        environment["STATE_DIRECTORY"] = phone.files + phone.home + "/.local/state/reveille"
        environment[String(cString: c_reveille_phone_bus_variable())] = "1"
        let program = ["/proc/self/exe", phone.address, phone.files, phone.home, phone.directory.path + "/bus.json5"]
        return try TestbedError.requiring { () throws(SystemError) in
            let (ours, theirs) = try UnixStream.pair()
            return try withExtendedLifetime(theirs) { () throws(SystemError) in
                let descriptors: [Int32: Int32] = [0: theirs.number, 1: theirs.number, 2: log]
                return (
                    try ChildProcess(program, environment: environment, descriptors: descriptors, isApart: true), ours
                )
            }
        }
    }
}

extension SyntheticPhone {
    /// Starts the phone's bus and waits until it accepts connections; a phone has one bus at a time.
    ///
    /// - Parameter configuration: A configuration in JSON5, as for `reveille serve --config`.
    /// - Returns: The bus, which ends with its last reference.
    /// - Throws: `TestbedError` with the reason if the bus does not start, such as an invalid configuration.
    public func startBus(configuration: String = PhoneBus.quick) throws(TestbedError) -> PhoneBus {
        try PhoneBus(self, configuration: configuration)
    }
}
