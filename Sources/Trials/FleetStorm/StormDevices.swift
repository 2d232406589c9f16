// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSimulation
import ReveilleSystem

actor StormDevices {
    private nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let numbers: Range<Int>
    private let port: UInt16
    private var random: SplitMix64
    private var devices: [SimulatedDevice] = []

    init(_ numbers: Range<Int>, on port: UInt16, seed: UInt64) throws(SystemError) {
        self.numbers = numbers
        self.port = port
        random = SplitMix64(seed: seed)
        thread = try LoopThread()
    }

    // The users of the loop are released on its thread.
    isolated deinit {}

    /// Starts all devices, each with a new bus.
    func start() throws {
        let broker = FleetBroker(address: BrokerAddress(.tcp(host: "127.0.0.1", port: port, isTLS: false)))
        devices = try numbers.map { number in
            try SimulatedDevice(
                try DeviceID("device-\(number)"), broker: broker, loop: thread.loop,
                random: SplitMix64(seed: random.next()))
        }
        for device in devices { device.start() }
    }

    /// Ends all connections without a DISCONNECT, and loses the state of the devices and their buses.
    func kill() { devices = [] }

    func change(_ times: Int) {
        for _ in 0..<times { for device in devices { device.change() } }
    }

    /// The number of devices whose newest states the broker has acknowledged.
    var settled: Int { devices.count(where: \.isSettled) }

    /// The true states by device and aspect.
    var states: [String: FleetPosition] {
        var states: [String: FleetPosition] = [:]
        for device in devices {
            for state in device.states { states["\(device.id)/\(state.aspect)"] = state.position }
        }
        return states
    }
}
