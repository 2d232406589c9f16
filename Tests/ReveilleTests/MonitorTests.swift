// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import Reveille

struct MonitorTests {
    @Test func eachEndReturnsTheObserverToEnd() {
        let monitor = Monitor()
        let (first, second) = (monitor.begin(.battery), monitor.begin(.battery))
        #expect(monitor.started(.battery, first, as: 1))
        #expect(monitor.started(.battery, second, as: 2))
        #expect(Set([monitor.end(.battery), monitor.end(.battery)]) == [1, 2])
        #expect(!monitor.isMonitoring(.battery))
        #expect(monitor.end(.battery) == nil)
    }

    @Test func observerThatStartsAfterTheEndIsRejected() {
        let monitor = Monitor()
        let watch = monitor.begin(.battery)
        #expect(monitor.end(.battery) == nil)
        #expect(!monitor.started(.battery, watch, as: 1))
    }

    @Test func failureOfOneBeginDoesNotAffectAnother() {
        let monitor = Monitor()
        let (first, second) = (monitor.begin(.battery), monitor.begin(.battery))
        monitor.remove(.battery, first)
        #expect(monitor.started(.battery, second, as: 2))
        monitor.note(.battery(.unknown))
        #expect(monitor.isMonitoring(.battery))
        #expect(monitor.end(.battery) == 2)
    }
}
