// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
package import ReveilleSimulation
import ReveilleWire

/// A reader of external bytes, or an interpreter of them, together with the properties that hold for any bytes.
///
/// Targets are deterministic: the same bytes give the same result in every process, so every finding becomes a test.
package struct FuzzTarget: Sendable, CustomStringConvertible {
    /// The name on the command line, and of the directory of its corpus.
    package let description: String
    private let check: @Sendable ([UInt8]) throws(Broken) -> Void

    private init(_ name: String, _ check: @escaping @Sendable ([UInt8]) throws(Broken) -> Void) {
        description = name
        self.check = check
    }

    /// Passes bytes to their reader and checks the result; invalid bytes may be rejected.
    package func violation(by bytes: [UInt8]) -> Broken? {
        failure { () throws(Broken) in try check(bytes) }
    }

    static func named(_ name: some StringProtocol) -> FuzzTarget? { all.first { $0.description == name } }

    package static let all: [FuzzTarget] = [
        FuzzTarget("frames", FramesTarget.check), FuzzTarget("json", JSONTarget.check),
        FuzzTarget("calls", CallsTarget.check), FuzzTarget("replies", RepliesTarget.check),
        FuzzTarget("interface", InterfaceTarget.check), FuzzTarget("condition", ConditionTarget.check),
        FuzzTarget("env", EnvironmentTarget.check), FuzzTarget("settings", SettingsTarget.check),
        FuzzTarget("dconf", DconfTarget.check),
        FuzzTarget("matrix", MatrixTarget.check), FuzzTarget("sysfs", SysfsTarget.check),
        FuzzTarget("device", DeviceTarget.check), FuzzTarget("scan", ScanTarget.check),
        FuzzTarget("inotify", InotifyTarget.check), FuzzTarget("network", NetworkTarget.check),
        FuzzTarget("display", DisplayTarget.check), FuzzTarget("zone", ZoneTarget.check),
        FuzzTarget("config", ConfigurationTarget.check), FuzzTarget("bridge", BridgeTarget.check),
        FuzzTarget("fleet", FleetTarget.check), FuzzTarget("state", StateTarget.check),
        FuzzTarget("log", LogTarget.check),
        FuzzTarget("gpsd", GPSDTarget.check), FuzzTarget("view", ViewTarget.check),
        FuzzTarget("dbus", DBusTarget.check),
        // A bus keeps its guarantees and serves honest users, whatever hostile users do. The bytes decide what happens;
        // the longest inputs can decide as many steps.
        FuzzTarget("lives") { bytes throws(Broken) in try HostileLife(choices: Choices(bytes: bytes)).run(steps: 400) },
    ]
}

// MARK: - Properties

func require(_ holds: Bool, _ promise: @autoclosure () -> String) throws(Broken) {
    guard holds else { throw Broken(promise()) }
}

func requireEqual<Value: Equatable>(_ one: Value, _ other: Value, _ promise: String) throws(Broken) {
    guard one == other else { throw Broken("\(promise): \(one) and \(other)") }
}

/// Checks that a reading survives encoding.
func requireEncodable(_ reading: Reading) throws(Broken) {
    let structure = ReadingCoding.encode(reading)
    try requireEqual(try? ReadingCoding.decode(structure, of: reading.aspect), reading, "a reading after encoding")
}

/// Returns the error of a reader, or `nil` if it succeeds.
func failure<Failure: Error>(of body: () throws(Failure) -> Void) -> Failure? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

// MARK: - Inputs

/// The bytes of an input, consumed from the front: parameters of the target, followed by its data.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// Takes a number, which is 0 at the end.
    mutating func byte() -> Int {
        Int(rest.popFirst() ?? 0)
    }

    /// Takes a line without its end.
    mutating func line() -> String {
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }
}
