// SPDX-License-Identifier: Apache-2.0

import ReveilleSimulation
import Testing

@testable import ReveilleCore

/// What a user's bus tells a system bus that comes and goes.
struct WakeHandoverTests {
    /// Answers requests at once, if it is there.
    private struct SystemBus {
        var entry: Int64?
        var isThere = true
    }

    private static func run(_ handover: inout WakeHandover, _ bus: inout SystemBus) {
        while let request = handover.next() {
            guard bus.isThere else { return handover.lost() }
            switch request {
            case .add(let time): bus.entry = time
            case .cancel: bus.entry = nil
            case .check: break
            }
            #expect(handover.answered() == request)
        }
    }

    @Test("without a time and without a question, the system bus is not needed") func nothing() {
        var handover = WakeHandover()
        #expect(handover.next() == nil && handover.isDone)
        handover.ask()
        #expect(handover.next() == .check)
        #expect(handover.next() == nil && !handover.isDone)
        #expect(handover.answered() == .check)
        #expect(handover.next() == nil && handover.isDone)
    }

    @Test("times that change while a request is under way are merged, and a time that is set again is not repeated")
    func merging() {
        var handover = WakeHandover()
        handover.time = 1
        #expect(handover.next() == .add(1))
        for time: Int64 in 2...9 {
            handover.time = time
            #expect(handover.next() == nil)
        }
        #expect(handover.answered() == .add(1))
        #expect(handover.next() == .add(9))
        #expect(handover.answered() == .add(9))
        handover.time = 9
        #expect(handover.next() == nil && !handover.isDone)
        handover.time = nil
        #expect(handover.next() == .cancel)
        #expect(handover.answered() == .cancel)
        #expect(handover.isDone)
    }

    @Test("after a loss, the time is sent again, and cancelled even if the request had not been answered")
    func loss() {
        var handover = WakeHandover()
        handover.time = 1
        #expect(handover.next() == .add(1))
        handover.lost()
        #expect(handover.next() == .add(1))
        handover.lost()
        handover.time = nil
        // The request may have arrived.
        #expect(!handover.isDone)
        #expect(handover.next() == .cancel)
    }

    @Test("the system bus has the last time in the end, whatever came and went before", arguments: 0..<200)
    func convergence(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var handover = WakeHandover()
        var bus = SystemBus()
        for _ in 0..<60 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: handover.time = Bool.random(using: &random) ? nil : Int64.random(in: 0...3, using: &random)
            case 2: handover.ask()
            case 3: bus.isThere.toggle()
            default:
                // A restart without the saved entries.
                bus.entry = nil
                handover.lost()
            }
            if Bool.random(using: &random) { Self.run(&handover, &bus) }
        }
        bus.isThere = true
        Self.run(&handover, &bus)
        #expect(bus.entry == handover.time)
        #expect(handover.isDone == (handover.time == nil))
    }
}
