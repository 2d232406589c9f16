// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing
import Varlink

@testable import ReveilleService

/// Which calls a connection takes, and what belongs to it, in each phase of its life.
@Suite struct ConnectionPhaseTests {
    struct Row: Sendable {
        let steps: String
        let phase: ConnectionPhase
        var takesCalls = false
        var awaitsFirstCall = false
        var isRefused = false
        var isSubscriber = false
        var isStreaming = false
    }

    private static let limit = CallError.methodNotImplemented("a.b.C")

    private typealias Phase = ConnectionPhase

    private static func phase(_ start: Phase = .new, _ steps: (inout Phase) -> Void) -> Phase {
        var phase = start
        steps(&phase)
        return phase
    }

    static let rows = [
        Row(steps: "accepted", phase: .new, takesCalls: true, awaitsFirstCall: true),
        Row(steps: "a call", phase: phase { $0.call() }, takesCalls: true),
        Row(
            steps: "two calls",
            phase: phase {
                $0.call()
                $0.call()
            }, takesCalls: true),
        Row(
            steps: "Subscribe",
            phase: phase {
                $0.call()
                $0.subscribe(to: [.battery])
            }, isSubscriber: true),
        Row(
            steps: "a stream",
            phase: phase {
                $0.call()
                $0.subscribe(to: [.battery])
                $0.stream(SubscriptionID(rawValue: 7))
            }, isSubscriber: true, isStreaming: true),
        Row(steps: "over a limit", phase: .refused(limit), takesCalls: true, awaitsFirstCall: true),
        Row(steps: "a call over a limit", phase: phase(.refused(limit)) { $0.call() }, isRefused: true),
        Row(steps: "closed", phase: .closed),
    ]

    @Test("a connection takes calls until it subscribes, is refused or closes", arguments: rows)
    func phases(row: Row) {
        #expect(row.phase.takesCalls == row.takesCalls)
        #expect(row.phase.awaitsFirstCall == row.awaitsFirstCall)
        #expect((row.phase.refusal != nil) == row.isRefused)
        #expect(row.phase.aspects == (row.isSubscriber ? [.battery] : []))
        #expect(row.phase.subscription == (row.isStreaming ? SubscriptionID(rawValue: 7) : nil))
        #expect(row.phase.isClosed == (row.steps == "closed"))
    }
}
