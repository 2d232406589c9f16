// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

/// The network, the screens and the light of a phone, whose steps are one change each.
@Suite(.timeLimit(.minutes(10))) struct PhoneSurroundingsTests {
    @Test("every step of the network, the screens and the light is one change", arguments: [PhoneBus.quick, "{}"])
    func everyStepIsOneChange(configuration: String) async throws {
        let phone = try SyntheticPhone()
        let bus = try phone.startBus(configuration: configuration)
        let device = try await Device.connect(to: bus.address)
        #expect(try await device.state(of: .network) == .unreachable)
        let subscription = try await device.subscribe(to: [.network, .display, .light])
        try await subscription.enterBackground()
        let steps: [(Aspect, () throws -> Void)] = [
            (.network, { try phone.connect(over: .wifi) }), (.network, { try phone.connect(over: .wifi, host: 2) }),
            (.network, { try phone.connect(over: .cellular) }), (.network, { try phone.disconnect() }),
            (.network, { try phone.connect(over: .ethernet) }), (.network, { try phone.connect(over: .other) }),
            (.display, { try phone.setBrightness(0.3) }), (.display, { try phone.monitor.insert() }),
            (.light, { try phone.setLight(3) }), (.light, { try phone.lightSensor.remove() }),
            (.display, { try phone.screen.remove() }), (.display, { try phone.backlight.remove() }),
        ]
        for (aspect, step) in steps {
            let before = try await device.shell.subscriptions().first?.pending[aspect] ?? 0
            try step()
            #expect(try await device.shell.subscriptions().first?.pending[aspect] == before + 1)
        }
        #expect(try await device.state(of: .network).kind == .other)
        #expect(try await device.state(of: .network).addresses == ["192.0.2.1"])
        #expect(try await device.state(of: .display).screens.map(\.name) == ["HDMI-A-1"])
    }
}
