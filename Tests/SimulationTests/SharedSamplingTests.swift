// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleSystem
import ReveilleWatchers
import Testing

@testable import ReveilleService

/// The order of readings and other work.
@Suite struct SharedSamplingTests {
    private static let spender: UInt32 = 2_000
    private static let other: UInt32 = 2_001

    private let loop = SimulatedLoop()
    private let sampling: SharedSampling

    init() throws {
        let shares = UserShares.ofProcessor()
        shares.charge(.max, to: Self.spender, at: loop.bootClock)
        sampling = try SharedSampling(of: ImmediateWatcher(), loop: loop, shares: shares)
    }

    /// Returns the order of a reading for the users and of other work, which is due at the same time.
    private func order(of users: [UInt32], priority: EventSource.Priority, seed: UInt64) throws -> [String] {
        var order: [String] = []
        for user in users { sampling.ask(for: user) { order.append("reading") } }
        let work = try loop.timer(priority: priority) { order.append("other work") }
        work.fire(after: .zero)
        var random = SplitMix64(seed: seed)
        while loop.turn(&random) {}
        return order
    }

    @Test("a reading that only users beyond their share wait for begins after everything else", arguments: 0..<20)
    func floodWaits(seed: UInt64) throws {
        #expect(try order(of: [Self.spender], priority: .normal, seed: seed) == ["other work", "reading"])
    }

    @Test("a reading that other users also wait for begins before work that is served last", arguments: 0..<20)
    func othersDoNotWait(seed: UInt64) throws {
        #expect(
            try order(of: [Self.spender, Self.other], priority: .flood, seed: seed)
                == ["reading", "reading", "other work"])
        // The next reading is for the first user alone.
        #expect(try order(of: [Self.spender], priority: .normal, seed: seed) == ["other work", "reading"])
    }
}

/// A watcher whose readings end at once.
private final class ImmediateWatcher: Watcher {
    let aspect = BuiltInAspect.locale
    var pace = Pace.off
    let source = SourceDescription.available("immediate")

    func refresh(then completion: @escaping () -> Void) { completion() }

    func examine() -> Examination { Examination() }
}
