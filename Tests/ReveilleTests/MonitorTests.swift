// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@testable import Reveille

struct MonitorTests {
    @Test func lastEndNamesTheObserverThatIsToEnd() {
        let monitor = Monitor()
        #expect(monitor.begin(.battery))
        #expect(!monitor.begin(.battery))
        #expect(monitor.started(.battery, as: 1))
        #expect(monitor.end(.battery) == nil)
        #expect(monitor.end(.battery) == 1)
        #expect(!monitor.isMonitoring(.battery))
    }

    @Test func observerThatComesAfterTheEndIsNotWanted() {
        let monitor = Monitor()
        _ = monitor.begin(.battery)
        #expect(monitor.end(.battery) == nil)
        #expect(!monitor.started(.battery, as: 1))
    }

    @Test func ofTwoObserversThatComeAtOnceOneIsWanted() {
        let monitor = Monitor()
        _ = monitor.begin(.battery)
        _ = monitor.end(.battery)
        _ = monitor.begin(.battery)
        #expect(monitor.started(.battery, as: 2))
        #expect(!monitor.started(.battery, as: 1))
        #expect(monitor.end(.battery) == 2)
    }
}
