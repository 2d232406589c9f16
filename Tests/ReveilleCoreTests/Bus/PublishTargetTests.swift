// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

struct PublishTargetTests {
    private static let name: Aspect = "org.example.mode"
    private let driver = BusDriver(history: 16)

    private func subscribe() -> SubscriptionID {
        driver.publish(Self.name, #"{"mode":"day"}"#)
        return driver.subscribe(SubscriptionRequest(aspects: [Self.name]))
    }

    @Test("B199: a value for a later generation is one event with all changes up to there, even if it is equal")
    func counts() {
        let id = subscribe()
        let generation = driver.state(Self.name).generation
        #expect(driver.publish(Self.name, #"{"mode":"night"}"#, target: generation + 3))
        let first = driver.events(of: id)
        #expect(first.map(\.changeCount) == [3])
        #expect(first.map(\.isNetChange) == [true])
        #expect(driver.publish(Self.name, #"{"mode":"night"}"#, target: generation + 5))
        let second = driver.events(of: id)
        #expect(second.map(\.changeCount) == [2])
        #expect(second.map(\.isNetChange) == [false])
        #expect(driver.state(Self.name).generation == generation + 5)
        #expect(driver.violations.isEmpty)
    }

    @Test("B199: a call that is repeated counts nothing twice, and one that came too late is a change like any other")
    func repeats() {
        let id = subscribe()
        let target = driver.state(Self.name).generation + 3
        driver.publish(Self.name, #"{"mode":"night"}"#, target: target)
        #expect(!driver.publish(Self.name, #"{"mode":"night"}"#, target: target))
        #expect(driver.publish(Self.name, #"{"mode":"day"}"#, target: target))
        #expect(driver.events(of: id).map(\.changeCount) == [4])
        #expect(driver.violations.isEmpty)
    }

    @Test("no publisher exhausts the numbers of the bus: a target far away counts as one change")
    func distance() {
        _ = subscribe()
        let (generation, sequence) = (driver.state(Self.name).generation, driver.bus.sequence)
        driver.publish(Self.name, #"{"mode":"night"}"#, target: .max)
        #expect(driver.state(Self.name).generation == generation + 1)
        driver.publish(Self.name, #"{"mode":"day"}"#, target: generation + 1 + Bus.targetDistance)
        #expect(driver.bus.sequence == sequence + 1 + Bus.targetDistance)
        driver.publish(Self.name, nil, target: .max)
        #expect(driver.violations.isEmpty)
    }
}
