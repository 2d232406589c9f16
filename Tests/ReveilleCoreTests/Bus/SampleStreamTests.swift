// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleCore

/// Streams: aspects whose samples are changes even if they are equal, and are neither saved nor resumed.
@Suite struct SampleStreamTests {
    private let driver = BusDriver()

    private func subscribe(_ interval: Duration?, background: Policy.Background = .coalesce) -> SubscriptionID {
        driver.subscribe(
            SubscriptionRequest(
                aspects: [.motion], policies: [.motion: Policy(background: background, interval: interval)]))
    }

    @Test("B137: equal samples are events") func equalSamplesAreEvents() {
        let id = subscribe(.milliseconds(10))
        for number in 1...3 {
            driver.pass(10_000)
            driver.report(.sample(0))
            let event = driver.events(of: id).first
            #expect(event?.generation == number)
            #expect(event?.isNetChange == true)
        }
    }

    @Test("B133: a subscriber that does not read gets one event with the newest sample and the number of all")
    func samplesAreMergedForASlowReader() {
        let id = subscribe(.milliseconds(10))
        driver.report(.sample(0))
        #expect(driver.nextDelivery()?.events.count == 1)
        for number in 1...200 {
            driver.pass(9_000)
            driver.report(.sample(Double(number)))
        }
        #expect(driver.nextDelivery() == nil)
        driver.bus.noteRead(by: id)
        let events = driver.events(of: id)
        #expect(events.map(\.changeCount) == [200])
        #expect(events.first?.motion?.acceleration?.x == 200)
    }

    @Test("B132: each subscriber gets samples at its own interval, and without one ten a second")
    func subscribersHaveTheirOwnPace() {
        let ids = [subscribe(.milliseconds(10)), subscribe(.milliseconds(100)), subscribe(nil)]
        var counts = [0, 0, 0]
        for _ in 0..<100 {
            driver.pass(9_000)
            driver.report(.sample(0))
            for delivery in driver.read() {
                if let index = ids.firstIndex(of: delivery.subscription) { counts[index] += delivery.events.count }
            }
        }
        #expect(counts == [100, 10, 10])
    }

    @Test("B132: the sensor is sampled for the fastest subscriber that is awake") func fastestSubscriberDecides() {
        #expect(driver.sampleInterval == nil)
        let slow = subscribe(.seconds(3))
        #expect(driver.sampleInterval == .seconds(1))
        let usual = subscribe(nil)
        #expect(driver.sampleInterval == .milliseconds(100))
        let fast = subscribe(.milliseconds(20))
        #expect(driver.sampleInterval == .milliseconds(20))
        driver.background(fast)
        #expect(driver.sampleInterval == .milliseconds(100))
        driver.foreground(fast)
        driver.bus.cancel(usual)
        #expect(driver.sampleInterval == .milliseconds(20))
        driver.bus.cancel(fast)
        driver.background(slow)
        #expect(driver.sampleInterval == nil)
        #expect(driver.violations.isEmpty)
    }

    @Test("B138: an interval below the floor is granted at the floor") func floorIsGranted() {
        let id = subscribe(.milliseconds(1))
        #expect(driver.sampleInterval == .milliseconds(10))
        var times: [UInt64] = []
        for _ in 0..<100 {
            driver.report(.sample(0))
            if !driver.events(of: id).isEmpty { times.append(driver.clock) }
        }
        #expect(times.count == 10)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 10_000 })
    }

    @Test("B100, B134: a stream of sleepers is not sampled, unless one of them ignores the background")
    func sleepersWantNoSamples() {
        let id = subscribe(nil)
        driver.background(id)
        #expect(!driver.hasForegroundSubscriber(.motion))
        let immediate = subscribe(.milliseconds(50), background: .immediate)
        driver.background(immediate)
        #expect(driver.hasForegroundSubscriber(.motion))
        #expect(driver.sampleInterval == .milliseconds(50))
        driver.report(.sample(1))
        #expect(driver.events(of: immediate).count == 1)
        #expect(driver.events(of: id).isEmpty)
        #expect(driver.pending(id, .motion) == 1)
    }

    @Test("only the first sample, and one in a million, outdates the saved state") func savesAreRare() {
        #expect(driver.mustSave(.battery))
        var saves = 0
        var saved = driver.savedSequence
        for _ in 0..<3_000 {
            driver.report(.sample(0))
            if driver.mustSave(.motion) {
                saves += 1
                saved = driver.savedSequence
            }
            #expect(driver.sequence < saved)
        }
        #expect(saves == 1)
        driver.bus.sequence = Bus.sampleReserve - 1
        driver.report(.sample(0))
        #expect(driver.mustSave(.motion))
        #expect(driver.savedSequence == 2 * Bus.sampleReserve)
    }

    @Test("B143: the loss of the sensor is one change, however often it is reported") func lossIsOneChange() {
        let id = subscribe(.milliseconds(10))
        driver.report(.sample(0, at: 7))
        driver.pass(20_000)
        _ = driver.events(of: id)
        let gone = Motion(acceleration: nil, rotation: nil, takenAt: Timestamp(microseconds: 7))
        driver.pass(20_000)
        for _ in 0..<3 { driver.report(.motion(gone)) }
        let events = driver.events(of: id)
        #expect(events.map(\.changeCount) == [1])
        #expect(events.first?.motion == gone)
    }

    @Test("B131: a device without sensors has no samples") func absenceIsNoChange() {
        let id = subscribe(nil)
        for _ in 0..<3 { driver.report(.motion(.unknown)) }
        #expect(driver.events(of: id).isEmpty)
    }

    @Test("a posted sample is replaced by the next one of the sensor") func postedSampleIsReplaced() {
        driver.post(.sample(9))
        #expect(driver.isPosted(.motion))
        driver.report(.sample(1))
        #expect(!driver.isPosted(.motion))
        #expect(driver.current(.motion).motion?.acceleration?.x == 1)
    }
}
