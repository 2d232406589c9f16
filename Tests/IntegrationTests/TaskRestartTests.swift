// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Reveille
import Testing

/// The tasks of the Swift library with a bus that restarts.
@Suite(.blocking, .timeLimit(.minutes(10))) struct TaskRestartTests {
    @Test("an operation continues while the bus is gone, and the bus counts its task again when it returns")
    func taskBeginsAgainAfterARestart() async throws {
        let bus = try BusProcess()
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: .battery)
        try await subscription.withBackgroundTask("upload") { task in
            #expect(try await device.subscribers().flatMap(\.tasks).map(\.name) == ["upload"])
            #expect(bus.stop() == 0)
            while task.failure == nil { await Task.yield() }
            #expect(task.failure?.code == .noBus)
            try bus.restart()
            while task.failure != nil { await Task.yield() }
            #expect(try await device.subscribers().flatMap(\.tasks).map(\.name) == ["upload"])
            #expect(!task.isExpiring)
        }
        let end = ContinuousClock.now + .seconds(60)
        while try await !device.subscribers().flatMap(\.tasks).isEmpty, ContinuousClock.now < end {}
        #expect(try await device.subscribers().flatMap(\.tasks).isEmpty)
    }
}
