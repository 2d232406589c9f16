// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleWire
import Varlink

/// Measures how long it takes to parse a call of Post, and to check and decode it as the bus does.
struct MessageBench {
    private static let rounds = 7
    private static let messages = 20_000

    func run() throws {
        let battery = Battery(
            state: .charging, level: 0.51, isPlugged: true, chargeStatus: .charging,
            packs: [.init(name: "BAT0", level: 0.51, chargeStatus: .charging)])
        let message = Call(.post(.battery(battery))).encoded()
        let text = Array(message.dropLast())
        let methods = BusMethods()
        var session = ServerSession()
        print("a Post of \(text.count) bytes, in microseconds of processor time for each, best of \(Self.rounds) runs:")
        try measure("JSON.parse") { _ = try JSON.parse(text) }
        try measure("Call(parsing:)") { _ = try Call(parsing: text) }
        try measure("taken from a session, checked and decoded") {
            session.receive(message.span)
            guard let call = try session.nextCall() else { throw BenchError("refused") }
            _ = try methods.resolve(call, history: 1)
            _ = session.reply()
        }
    }

    private func measure(_ name: String, _ body: () throws -> Void) throws {
        var least = Int64.max
        for _ in 0..<Self.rounds {
            let start = ReaderBench.processorTime
            for _ in 0..<Self.messages { try body() }
            least = min(least, ReaderBench.processorTime - start)
        }
        report(name, (Double(least) / Double(Self.messages) / 1_000).rounded(to: 2))
    }
}
