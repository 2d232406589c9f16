// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing

@testable import Reveille

/// As UIDevice has it; on a phone's bus in another process, so that sources come and go with who asks.
@Suite(.timeLimit(.minutes(10))) struct MonitoringTests {
    private static let low = Reading.battery(
        Battery(state: .unplugged, level: 0.2, isPlugged: false, chargeStatus: .discharging, packs: []))

    private func isMonitored(_ aspect: Aspect, by device: Device) async throws -> Bool {
        try await device.sources().contains { $0.aspect == aspect && $0.isMonitored }
    }
}
