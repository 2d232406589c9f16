// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import ReveilleTesting
import Testing

/// A bus, a gpsd, and `reveille-location` between them.
final class LocationScene {
    struct Location: Decodable, Equatable {
        var mode: String
        var latitude, longitude: Double
        var altitude, speed, course, accuracy, verticalAccuracy: Double?
        var time: Int64?
        var distance: Double
    }

    static let name: Aspect = "org.reveille.location"
    static let program = ChildProcess.sibling("reveille-location")
    /// The fixes after which gpsd sends one report for each.
    static let warmUp = 4

    let bus: BusProcess
    let device: Device
    private(set) var receiver: FakeReceiver
    private(set) var satellite: RunningProgram
    /// Needs the location.
    private var keeper: Task<Void, Never>?

    /// Starts all three and waits until the location of the last fix of the warm-up is published.
    init(_ log: ReceiverLog) async throws {
        bus = try BusProcess()
        device = try await Device.connect(to: bus.address)
        receiver = try FakeReceiver(log, in: bus.directory)
        satellite = try Self.start(on: bus, port: receiver.port)
        try await need()
        try await warmUp()
    }

    deinit { keeper?.cancel() }

    /// Begins to need the location, until ``endNeed()``.
    func need() async throws {
        let subscription = try await device.subscribe(to: [Self.name])
        keeper = Task {
            do { while try await subscription.next() != nil {} } catch {}
            subscription.cancel()
        }
    }

    func endNeed() { keeper?.cancel() }

    /// Waits until the satellite has reported something as often as this.
    func waitForReport(_ text: String, _ count: Int = 1) throws {
        try wait(for: "\(text): \(satellite.errors)") { satellite.errors.ranges(of: text).count == count }
    }

    static func start(on bus: BusProcess, port: UInt16) throws -> RunningProgram {
        try RunningProgram(
            ["--gpsd", "127.0.0.1:\(port)"], program: program, in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address])
    }

    /// Replaces gpsd, on the same port.
    func restartReceiver(_ log: ReceiverLog) async throws {
        receiver.stop()
        receiver = try FakeReceiver(log, in: bus.directory, port: receiver.port)
        try await warmUp()
    }

    private func warmUp() async throws {
        let address = "gpsd at 127.0.0.1:\(receiver.port)"
        try wait(for: "a connection: \(satellite.errors)") {
            satellite.errors.split(separator: "\n").last?.hasSuffix("connected to \(address)") == true
        }
        try receiver.begin()
        receiver.send(fixes: Self.warmUp)
        try await waitForFix(Self.warmUp - 1)
    }

    func waitForFix(_ index: Int) async throws {
        let deadline = Deadline(seconds: 60)
        while try await location?.time != ReceiverLog.time(index) {
            guard !deadline.hasPassed else {
                throw Trouble("waited for fix \(index): \(String(describing: try await location)) \(satellite.errors)")
            }
            backOff()
        }
    }

    func waitForWithdrawal() async throws {
        let deadline = Deadline(seconds: 60)
        while try await location != nil {
            guard !deadline.hasPassed else { throw Trouble("waited for a withdrawal: \(satellite.errors)") }
            backOff()
        }
    }

    var location: Location? {
        get async throws { try await device.value(of: PublishedName<Location>(Self.name)) }
    }

    func sleeper(_ background: Policy.Background) async throws -> Subscription {
        try await device.subscribe(
            to: [Self.name],
            options: SubscriptionOptions(policies: [Self.name: Policy(background: background)], background: true))
    }
}
