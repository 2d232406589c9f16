// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

/// What a user's bus tells a system bus that comes and goes.
struct WakeHandoverTests {
    /// Carries out steps against a system bus that answers at once, if it is there.
    private struct SystemBus {
        var entry: Int64?
        var isThere = true
        var answers = 0
    }

    private static func run(_ handover: inout WakeHandover, _ bus: inout SystemBus) {
        while let step = handover.step() {
            switch step {
            case .connect: if !bus.isThere { handover.lost() }
            case .disconnect: break
            case .send(.add(let time)):
                bus.entry = time
                #expect(handover.answered() == .add(time))
            case .send(.cancel):
                bus.entry = nil
                #expect(handover.answered() == .cancel)
            case .send(.check):
                bus.answers += 1
                #expect(handover.answered() == .check)
            }
        }
    }

    @Test("without a time and without a question, there is no connection") func nothing() {
        var handover = WakeHandover()
        #expect(handover.step() == nil)
        handover.ask()
        #expect(handover.step() == .connect)
        #expect(handover.step() == .send(.check))
        #expect(handover.step() == nil)
        #expect(handover.answered() == .check)
        #expect(handover.step() == .disconnect)
        #expect(handover.step() == nil)
    }

    @Test("times that change while a request is under way are merged, and a time that is set again is not repeated")
    func merging() {
        var handover = WakeHandover()
        handover.time = 1
        #expect(handover.step() == .connect)
        #expect(handover.step() == .send(.add(1)))
        for time: Int64 in 2...9 {
            handover.time = time
            #expect(handover.step() == nil)
        }
        #expect(handover.answered() == .add(1))
        #expect(handover.step() == .send(.add(9)))
        #expect(handover.answered() == .add(9))
        handover.time = 9
        #expect(handover.step() == nil)
        handover.time = nil
        #expect(handover.step() == .send(.cancel))
        #expect(handover.answered() == .cancel)
        #expect(handover.step() == .disconnect)
    }

    @Test("after a loss, the time is sent again after a pause, and a question does not wait for it")
    func loss() {
        var handover = WakeHandover()
        handover.time = 1
        #expect(handover.step() == .connect)
        #expect(handover.step() == .send(.add(1)))
        handover.lost()
        #expect(handover.isPaused && handover.step() == nil)
        handover.ask()
        #expect(handover.step() == .connect)
        handover.lost()
        handover.time = nil
        handover.retry()
        // The request may have arrived.
        #expect(handover.step() == .connect)
        #expect(handover.step() == .send(.cancel))
    }

    @Test("the system bus has the last time in the end, whatever came and went before", arguments: 0..<200)
    func convergence(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var handover = WakeHandover()
        var bus = SystemBus()
        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: handover.time = Bool.random(using: &random) ? nil : Int64.random(in: 0...3, using: &random)
            case 2: handover.ask()
            case 3: bus.isThere.toggle()
            case 4:
                // A restart without the saved entries.
                bus.entry = nil
                handover.lost()
            default: handover.retry()
            }
            if Bool.random(using: &random) { Self.run(&handover, &bus) }
        }
        bus.isThere = true
        handover.retry()
        Self.run(&handover, &bus)
        #expect(bus.entry == handover.time)
        #expect(handover.step() == nil)
    }
}
