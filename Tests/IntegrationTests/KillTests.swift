// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// A bus that is killed again and again while everything changes and clients come back by position.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
    private static let rounds = 200
    private static let languages = ["de_DE", "en_US", "es_ES", "fr_FR", "ja_JP", "pt_BR"]

    @Test("B53, B54: two hundred kills lose nothing and repeat nothing", arguments: [1, 20_261_121])
    func killsLoseNothing(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let phone = try SyntheticPhone()
        let bus = try BusProcess(on: phone)
        let clients = (0..<4).map { ResumingClient("client \($0)", of: bus) }
        for round in 0..<Self.rounds {
            if round > 0 { try bus.restart() }
            let control = try bus.client()
            for client in clients { try client.connect() }
            // Some kills come before the first reply.
            if Int.random(in: 0..<4, using: &random) > 0 { try waitForFirstReplies(clients) }
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                try change(phone, &random)
                let client = clients[Int.random(in: 0..<clients.count, using: &random)]
                try client.drain()
                if let id = client.subscription, Int.random(in: 0..<4, using: &random) == 0 {
                    let state = Bool.random(using: &random) ? "background" : "foreground"
                    try control.call("SetState", #"{"subscription":"\#(id)","state":"\#(state)"}"#)
                }
            }
            // Half of them find everything saved.
            if Bool.random(using: &random) { try waitUntilSaved(bus) }
            bus.process.signal(SIGKILL)
            bus.process.wait()
            // What was sent before the end counts as told.
            for client in clients { try client.drain() }
        }
        try bus.restart()
        for client in clients { try client.connect() }
        try waitForFirstReplies(clients)
        let control = try bus.client()
        try control.call("Refresh")
        let truth = try control.call("GetState").parameters["events"]?.arrayValue?.compactMap(\.objectValue) ?? []
        #expect(truth.count == 5)
        let deadline = Deadline(seconds: 20)
        for client in clients {
            while !truth.allSatisfy({ client.seen[$0.aspect] == $0.integer("generation") }) {
                guard !deadline.hasPassed else { throw Trouble("\(client.name) is at \(client.seen), not at \(truth)") }
                try client.drain()
                deadline.pause()
            }
            // The keys of settings are those that changed, not all.
            for event in truth where event.aspect != "defaults" {
                #expect(client.states[event.aspect] == event[event.aspect], "\(client.name)")
            }
            #expect(min(client.resumptions.understood, client.resumptions.anew) > 20, "\(client.resumptions)")
        }
    }

    private func change(_ phone: SyntheticPhone, _ random: inout SplitMix64) throws {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try phone.setLevel(Int.random(in: 1...99, using: &random))
        case 1: try phone.setLocale((Self.languages.randomElement(using: &random) ?? "C") + ".UTF-8")
        case 2: try phone.setNear(Bool.random(using: &random))
        case 3: try phone.rotate(to: SyntheticPhone.Pose.allCases.randomElement(using: &random) ?? .portrait)
        default:
            let value = Int.random(in: 0...9, using: &random)
            try phone.write(#"{"key \#(value)": \#(value)}"#, to: phone.home + "/.config/settings.json")
        }
    }

    private func waitForFirstReplies(_ clients: [ResumingClient]) throws {
        let deadline = Deadline(seconds: 10)
        for client in clients {
            while client.subscription == nil {
                guard !deadline.hasPassed else { throw Trouble("\(client.name) has no first reply") }
                try client.drain()
                deadline.pause()
            }
        }
    }

    /// The state file is there only while it is the whole truth.
    private func waitUntilSaved(_ bus: BusProcess) throws {
        let deadline = Deadline(seconds: 10)
        while access(bus.socket + ".state.json", F_OK) != 0 {
            guard !deadline.hasPassed else { throw Trouble("the state is not saved") }
            deadline.pause()
        }
    }
}
