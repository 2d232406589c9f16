// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CUmockdev
import Glibc

/// A synthetic `/sys` and `/dev`, which programs see in place of the real ones through the real libudev.
///
/// It is kept by a process of its own and is gone with the testbed. Programs see it when they are started
/// with ``environment``.
public final class Testbed {
    /// Where the synthetic `/sys` and `/dev` are: `<root>/sys/...`.
    public let root: String

    /// The bus that reads the devices at each step, while there is one.
    weak var bus: PhoneBusLink?

    private var isStepping = false
    private let host: ChildProcess
    private let requests: UnsafeMutablePointer<FILE>
    private let answers: UnsafeMutablePointer<FILE>

    /// Makes a testbed without devices.
    ///
    /// - Throws: `TestbedError` where umockdev is not installed.
    public init() throws(TestbedError) {
        let (theirInput, ourOutput) = try Testbed.pipe()
        let (ourInput, theirOutput) = try Testbed.pipe()
        defer {
            close(theirInput)
            close(theirOutput)
        }
        var environment = ChildProcess.environment
        environment[String(cString: c_reveille_testbed_variable())] = "1"
        environment.merge(Testbed.preload(environment)) { $1 }
        host = try ChildProcess(
            ["/proc/self/exe"], environment: environment, descriptors: [0: theirInput, 1: theirOutput],
            isApart: true)
        guard let requests = fdopen(ourOutput, "w"), let answers = fdopen(ourInput, "r") else {
            throw TestbedError("fdopen: \(String(cString: strerror(errno)))")
        }
        self.requests = requests
        self.answers = answers
        root = try Testbed.answer(from: answers)
    }

    deinit {
        fclose(requests)
        fclose(answers)
        // Without its requests the host removes the files and ends.
        host.wait()
    }

    /// What a program needs in its environment to see the synthetic devices.
    public var environment: [String: String] {
        ChildProcess.environment.merging(Testbed.environment(root: root)) { $1 }
    }

    /// What makes a program see a directory's `sys` and `dev` in place of the real ones.
    package static func environment(root: String) -> [String: String] {
        preload(ChildProcess.environment).merging(["UMOCKDEV_DIR": root]) { $1 }
    }

    /// Adds a device, and tells by a uevent `add`.
    ///
    /// - Parameters:
    ///   - subsystem: `power_supply`, `iio`, `platform`.
    ///   - name: The device's name.
    ///   - parent: The device that it is a part of.
    ///   - attributes: Its files in sysfs; a newline is added to each, as the kernel does.
    ///   - properties: What udev would know of it.
    /// - Returns: The device.
    /// - Throws: `TestbedError` when umockdev refuses it.
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

    /// Does something that is one change for the bus, and returns once the bus has read it.
    ///
    /// Steps in a step are part of it.
    @discardableResult
    func step<Value>(_ change: () throws(TestbedError) -> Value) throws(TestbedError) -> Value {
        guard let bus, !isStepping else { return try change() }
        isStepping = true
        defer { isStepping = false }
        return try bus.step(change)
    }

    /// Does something as fast as it goes, of which the bus hears by events alone.
    package func unwatched(_ changes: () throws(TestbedError) -> Void) throws(TestbedError) {
        isStepping = true
        defer { isStepping = false }
        try changes()
    }

    /// Has the host remove directories when it ends, which it does however this process ends.
    func keep(_ directories: [TemporaryDirectory]) throws(TestbedError) {
        for directory in directories { try ask(["keep", directory.path]) }
    }

    @discardableResult
    func ask(_ fields: [String]) throws(TestbedError) -> String {
        let line = fields.map { $0.replacing("\n", with: "\u{1E}") }.joined(separator: "\u{1F}") + "\n"
        guard fputs(line, requests) >= 0, fflush(requests) == 0 else {
            throw TestbedError("\(fields[0]): the testbed's host is gone")
        }
        return try Testbed.answer(from: answers)
    }

    private static func answer(from answers: UnsafeMutablePointer<FILE>) throws(TestbedError) -> String {
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        guard getline(&line, &size, answers) > 0, let line else {
            throw TestbedError("the testbed's host ended; are the packages umockdev and libumockdev0 installed?")
        }
        let text = String(cString: line).dropLast()
        guard text.hasPrefix("ok") else { throw TestbedError(String(text.dropFirst("error ".count))) }
        return String(text.dropFirst("ok ".count))
    }

    private static func preload(_ environment: [String: String]) -> [String: String] {
        let libraries = ["libumockdev-preload.so.0", environment["LD_PRELOAD"] ?? ""].filter { !$0.isEmpty }
        // Old libudev versions check that /sys is a sysfs, which a synthetic one is not.
        return ["LD_PRELOAD": libraries.joined(separator: ":"), "SYSTEMD_DEVICE_VERIFY_SYSFS": "0"]
    }

    /// A pipe that no other child inherits.
    static func pipe() throws(TestbedError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        guard c_reveille_pipe(&ends) == 0 else { throw TestbedError("pipe2: \(String(cString: strerror(errno)))") }
        return (ends[0], ends[1])
    }
}
