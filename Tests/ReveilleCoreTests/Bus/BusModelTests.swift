// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSimulation
import Testing

/// A comparison of the bus with ``NaiveBus`` over random operations.
@Suite struct BusModelTests {
    private static let operations = 100_000
    private static let history = 12

    @Test(arguments: [UInt64.random(in: 0..<1_000_000), 708_728])
    func busDeliversWhatQueuesWouldDeliver(seed: UInt64) {
        print("bus model: seed \(seed)")
        var random = SplitMix64(seed: seed)
        let driver = BusDriver(history: Self.history)
        var model = NaiveBus(history: Self.history, start: Aspect.device.map(Reading.first))
        var ids: [SubscriptionID] = []
        for operation in 0..<Self.operations {
            switch random.next() % 16 {
            case 0 where ids.count < 12:
                let request = Self.request(&random)
                let id = driver.subscribe(request)
                ids.append(id)
                model.subscribers[id] = NaiveBus.Subscriber(
                    aspects: request.aspects, policies: request.policies,
                    holds: request.startsInBackground ? .app : [], seen: model.current.mapValues(\.reading))
            case 1 where !ids.isEmpty && random.next() % 4 == 0:
                let id = ids.remove(at: Int(random.next() % UInt64(ids.count)))
                driver.bus.cancel(id)
                model.subscribers[id] = nil
            case 2...5:
                guard let id = ids.randomElement(using: &random) else { continue }
                let reason = Self.reason(&random)
                driver.bus.hold(reason, on: id)
                model.hold(reason, on: id)
            case 6...9:
                guard let id = ids.randomElement(using: &random) else { continue }
                let reason = Self.reason(&random)
                driver.bus.release(reason, from: id)
                model.release(reason, from: id)
            case 10:
                guard Self.deliveriesAgree(driver, &model) else {
                    Issue.record("seed \(seed), operation \(operation)")
                    return
                }
            default:
                let reading = Self.reading(&random)
                model.post(reading, at: driver.report(reading))
            }
            guard
                operation % 8 != 4 || Self.latestChangesAgree(driver, model, limit: operation / 8 % (Self.history + 3))
            else {
                Issue.record("the latest changes differ: seed \(seed), operation \(operation)")
                return
            }
            guard operation % 8 != 0 || Self.pendingAgrees(driver, model) else {
                Issue.record("pending differs: seed \(seed), operation \(operation)")
                return
            }
        }
        for id in ids {
            driver.bus.release([.background, .unread], from: id)
            model.release([.background, .unread], from: id)
        }
        #expect(Self.deliveriesAgree(driver, &model))
    }

    private static func deliveriesAgree(_ driver: BusDriver, _ model: inout NaiveBus) -> Bool {
        while let delivery = driver.nextDelivery() {
            let expected = model.take(delivery.subscription)
            guard delivery.events == expected else {
                print("got \(delivery.events)\nexpected \(expected)")
                return false
            }
        }
        guard model.ready.isEmpty else {
            print("not delivered to \(model.ready)")
            return false
        }
        return true
    }

    private static func pendingAgrees(_ driver: BusDriver, _ model: NaiveBus) -> Bool {
        driver.bus.subscriptions.allSatisfy { status in
            guard let subscriber = model.subscribers[status.id] else { return false }
            let isBackground = !subscriber.holds.isDisjoint(with: .background)
            let expected = subscriber.queues.filter { aspect, queue in
                let isDropped =
                    isBackground && subscriber.policy(aspect).background == .drop
                    && !subscriber.hadPending.contains(aspect)
                return !queue.isEmpty && !isDropped
            }
            return status.pending == expected.mapValues(\.count) && status.holds == subscriber.holds
        }
    }

    /// Compares the latest changes of all aspects; a limit of 0 stands for none.
    private static func latestChangesAgree(_ driver: BusDriver, _ model: NaiveBus, limit: Int) -> Bool {
        let limit = limit == 0 ? nil : limit
        return Aspect.device.allSatisfy {
            driver.bus.changes(of: $0, limit: limit) == model.changes(of: $0, limit: limit)
        }
    }

    private static func request(_ random: inout SplitMix64) -> SubscriptionRequest {
        var request = SubscriptionRequest()
        let aspects = AspectSet(Aspect.device.filter { _ in random.next() % 2 == 0 })
        request.aspects = aspects.isEmpty ? .device : aspects
        request.startsInBackground = random.next() % 4 == 0
        for aspect in Aspect.device where random.next() % 2 == 0 {
            let backgrounds: [Policy.Background] = [
                .coalesce, .drop, .immediate, .hold(limit: 1 + Int(random.next() % UInt64(history))),
            ]
            request.policies[aspect] = Policy(
                background: backgrounds[Int(random.next() % 4)], netChangeOnly: random.next() % 3 == 0)
        }
        return request
    }

    private static func reason(_ random: inout SplitMix64) -> HoldReasons {
        // The broker clears `unread` when the peer has read, which must be frequent for deliveries to occur.
        [.app, .operator, .frozen, .unread, .unread, .unread][Int(random.next() % 6)]
    }

    /// Returns one of few values, so that states recur often.
    private static func reading(_ random: inout SplitMix64) -> Reading {
        let value = Int(random.next() % 3)
        switch random.next() % 4 {
        case 0: return .level(value)
        case 1: return .language(["en_US", "de_DE", "fr_FR"][value])
        case 2: return .proximity([.near, .far, .unknown][value])
        default: return .pose([.portrait, .faceUp, .unknown][value])
        }
    }
}
