// SPDX-License-Identifier: Apache-2.0

import CUmockdev
import Glibc
import ReveilleSystem

/// A synthetic `/sys` and `/dev`, which programs see through the real libudev instead of the machine's own.
///
/// A separate process maintains it until the testbed is released. Programs started with ``environment`` see the
/// devices.
///
/// ```swift
/// let testbed = try Testbed()
/// let battery = try testbed.add(
///     subsystem: "power_supply", name: "BAT0", attributes: ["type": "Battery", "capacity": "50"])
/// try battery.set("capacity", "49")
/// try battery.uevent("change")
/// ```
public final class Testbed {
    /// The directory that contains the synthetic `sys` and `dev`.
    public let root: String

    weak var bus: PhoneBusLink?

    private var isStepping = false
    private let host: ChildProcess
    private let requests: UnsafeMutablePointer<FILE>
    private let answers: UnsafeMutablePointer<FILE>

    /// Creates a testbed without devices.
    ///
    /// - Throws: `TestbedError` if umockdev is not installed.
    public init() throws(TestbedError) {
        let (theirInput, ourOutput) = try Testbed.pipe()
        let (ourInput, theirOutput) = try Testbed.pipe()
        defer {
            close(theirInput)
            close(theirOutput)
        }
        var environment = Environment.all
        environment[String(cString: c_reveille_testbed_variable())] = "1"
        environment.merge(Testbed.preload(environment)) { $1 }
        host = try TestbedError.requiring { () throws(SystemError) in
            try ChildProcess(
                ["/proc/self/exe"], environment: environment, descriptors: [0: theirInput, 1: theirOutput],
                isApart: true)
        }
        guard let requests = fdopen(ourOutput, "w"), let answers = fdopen(ourInput, "r") else {
            throw TestbedError("fdopen", on: "a pipe")
        }
        self.requests = requests
        self.answers = answers
        root = try Testbed.answer(from: answers)
    }

    deinit {
        fclose(requests)
        fclose(answers)
        // When its input ends, the host removes the files and exits.
        host.wait()
    }

    /// The environment in which a program sees the synthetic devices.
    public var environment: [String: String] {
        Environment.all.merging(Testbed.environment(root: root)) { $1 }
    }

    /// Returns the variables that make a program see `sys` and `dev` below a directory instead of the real ones.
    package static func environment(root: String) -> [String: String] {
        preload(Environment.all).merging(["UMOCKDEV_DIR": root]) { $1 }
    }

    /// Adds a device and sends the uevent `add`.
    ///
    /// - Parameters:
    ///   - subsystem: The subsystem, such as `power_supply`, `iio` or `platform`.
    ///   - name: The name of the device.
    ///   - parent: The parent device.
    ///   - attributes: The sysfs files; a newline is appended to each, as in the kernel.
    ///   - properties: The udev properties.
    /// - Returns: The device.
    /// - Throws: `TestbedError` if umockdev rejects the device.
    public func add(
        subsystem: String, name: String, parent: SyntheticDevice? = nil, attributes: [String: String] = [:],
        properties: [String: String] = [:]
    ) throws(TestbedError) -> SyntheticDevice {
        let pairs = { (values: [String: String], end: String) in
            values.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value + end] }
        }
        let path = try step { () throws(TestbedError) in
            try ask(
                ["add", subsystem, name, parent?.path ?? "", "\(attributes.count)"]
                    + pairs(attributes, "\n") + pairs(properties, ""))
        }
        return SyntheticDevice(testbed: self, path: path)
    }

    /// Runs a closure; before this returns, the bus reads all its changes, with nested steps, as one change.
    @discardableResult
    func step<Value>(_ change: () throws(TestbedError) -> Value) throws(TestbedError) -> Value {
        guard let bus, !isStepping else { return try change() }
        isStepping = true
        defer { isStepping = false }
        return try bus.step(change)
    }

    /// Runs changes at full speed, which the bus observes only through events.
    package func unwatched(_ changes: () throws(TestbedError) -> Void) throws(TestbedError) {
        isStepping = true
        defer { isStepping = false }
        try changes()
    }

    /// Registers directories that the host removes when it ends, even if this process is killed.
    func keep(_ directories: [TemporaryDirectory]) throws(TestbedError) {
        for directory in directories { try ask(["keep", directory.path]) }
    }

    @discardableResult
    func ask(_ fields: [String]) throws(TestbedError) -> String {
        // By scalars: a carriage return and a newline are one character.
        let line = fields.joined(separator: "\u{1F}").unicodeScalars.map { $0 == "\n" ? "\u{1E}" : $0 }
        guard fputs(String(String.UnicodeScalarView(line)) + "\n", requests) >= 0, fflush(requests) == 0 else {
            throw TestbedError("\(fields[0]): host process of the testbed has ended")
        }
        return try Testbed.answer(from: answers)
    }

    private static func answer(from answers: UnsafeMutablePointer<FILE>) throws(TestbedError) -> String {
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        guard getline(&line, &size, answers) > 0, let line else {
            throw TestbedError(
                "host process of the testbed ended; the packages umockdev and libumockdev0 must be installed")
        }
        let text = String(cString: line).dropLast()
        guard text.hasPrefix("ok") else { throw TestbedError(String(text.dropFirst("error ".count))) }
        return String(text.dropFirst("ok ".count))
    }

    private static func preload(_ environment: [String: String]) -> [String: String] {
        let libraries = ["libumockdev-preload.so.0", environment["LD_PRELOAD"] ?? ""].filter { !$0.isEmpty }
        // Old versions of libudev require a real sysfs at /sys.
        return ["LD_PRELOAD": libraries.joined(separator: ":"), "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"]
    }

    static func pipe() throws(TestbedError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard c_reveille_pipe(&ends) == 0 else { throw TestbedError("pipe2", on: "the testbed") }
        return (ends[0], ends[1])
    }
}
