// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSimulation
import ReveilleTesting
import Testing
import Varlink

/// A phone on which all aspects change, a bus that may be killed at any time, and clients that resume by position.
final class Turmoil {
    private static let languages = ["de_DE", "en_US", "es_ES", "fr_FR", "ja_JP", "pt_BR"]

    private static let poses = Orientation.Pose.allCases.filter { $0 != .unknown }

    let phone: SyntheticPhone
    let bus: BusProcess
    let clients: [ResumingClient]
    var random: SplitMix64
    private var control: RawClient

    init(seed: UInt64) throws {
        random = SplitMix64(seed: seed)
        phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        self.bus = bus
        control = try bus.client()
        clients = (0..<4).map { ResumingClient("client \($0)", of: bus) }
    }

    func chance(_ one: Int, of all: Int) -> Bool {
        Int.random(in: 0..<all, using: &random) < one
    }

    /// Changes an aspect, has a client read, and occasionally sends it to the background or foreground.
    func step() throws {
        try change()
        let client = clients[Int.random(in: 0..<clients.count, using: &random)]
        try client.drain()
        guard let id = client.subscription, chance(1, of: 4) else { return }
        try control.call(
            "SetState", #"{"subscription":"\#(id)","state":"\#(chance(1, of: 2) ? "back" : "fore")ground"}"#)
    }

    private func change() throws {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try phone.battery.setLevel(Double(Int.random(in: 1...99, using: &random)) / 100)
        case 1: try phone.setLocale((Self.languages.randomElement(using: &random) ?? "C") + ".UTF-8")
        case 2: try phone.setNear(chance(1, of: 2))
        case 3: try phone.rotate(to: Self.poses.randomElement(using: &random) ?? .portrait)
        default:
            let value = Int.random(in: 0...9, using: &random)
            try phone.writeSettings(#"{"key \#(value)": \#(value)}"#)
        }
    }

    func connect() throws {
        for client in clients where !client.isConnected { try client.connect() }
    }

    func waitForFirstReplies() throws {
        try wait(for: "first replies") {
            for client in clients { try client.drain() }
            return clients.allSatisfy { $0.subscription != nil }
        }
    }

    func restart(by signal: Int32) throws {
        bus.process.signal(signal)
        bus.process.wait()
        // Events that were sent before the end count as received.
        for client in clients { try client.drain() }
        try bus.restart()
        control = try bus.client()
    }

    /// Waits until each client has the current state, and checks it.
    func check() throws {
        try connect()
        try waitForFirstReplies()
        for client in clients {
            try control.call("SetState", #"{"subscription":"\#(client.subscription ?? "")","state":"foreground"}"#)
        }
        try control.call("Refresh")
        let truth = try control.call("GetState").parameters.events
        #expect(truth.count == 5)
        for client in clients {
            try wait(for: "\(client.name), which is at \(client.seen), to be at \(truth)") {
                try client.drain()
                return truth.allSatisfy { client.seen[$0.aspect] == $0.integer("generation") }
            }
            // An event of settings lists only the keys that changed.
            for event in truth where event.aspect != "defaults" {
                #expect(client.states[event.aspect] == event[event.aspect], "\(client.name)")
            }
        }
    }
}
