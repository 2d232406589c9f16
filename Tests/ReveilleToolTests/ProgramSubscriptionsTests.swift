// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reveille
@testable import ReveilleTool

/// Changes of several subscriptions of one program.
@Suite struct ProgramSubscriptionsTests {
    private static func change(_ id: String, among living: [String]) throws {
        guard !living.contains(id) else { return }
        throw ReveilleError(.noSuchSubscription, "SetState: \(id) has ended")
    }

    @Test("a subscription that has ended since it was listed leaves the others to be changed")
    func othersAreChanged() async throws {
        var changed: [String] = []
        try await ["a", "b", "c"].changeEach { id in
            try Self.change(id, among: ["a", "c"])
            changed.append(id)
        }
        #expect(changed == ["a", "c"])
    }

    @Test("the end of all subscriptions, and any other error, is an error") func endOfAllIsAnError() async throws {
        for ids in [["a", "b"], []] {
            let ended = await #expect(throws: ReveilleError.self) {
                try await ids.changeEach { try Self.change($0, among: []) }
            }
            #expect(ended?.code == .noSuchSubscription)
        }
        let refused = await #expect(throws: ReveilleError.self) {
            try await ["a", "b"].changeEach { if $0 == "b" { throw ReveilleError(.notPermitted, "SetState: b") } }
        }
        #expect(refused?.code == .notPermitted)
    }
}
