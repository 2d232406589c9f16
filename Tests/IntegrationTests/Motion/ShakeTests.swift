// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing
import Varlink

/// Shakes of a synthetic phone.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ShakeTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(phone: phone)
    }

    /// Shakes the phone until a subscriber has received it.
    private func shake(_ peak: Double, until subscriber: Subscriber) throws {
        try phone.accelerate(x: peak, y: 0, z: 0)
        try subscriber.wait(for: "shake") { abs(($0["peak"]?.numberValue ?? 0) - peak) < 0.02 }
        try phone.accelerate(x: 0, y: -1, z: 0)
    }

    @Test("B145: a shake is an event with its peak") func shakeIsAnEvent() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["shake"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["shake"]?.objectValue?["peak"]?.numberValue == 0)
        try shake(2, until: subscriber)
        try shake(3, until: subscriber)
        #expect(try bus.client().state(of: "shake").integer("changes") == 0)
    }

    @Test("B149: shakes that are not asked for in the background are not watched for") func backgroundIsOff() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["shake"]}"#)
        #expect(try bus.description(of: "shake")["monitored"] == true)
        try subscriber.setState("background", on: bus.client())
        #expect(try bus.description(of: "shake")["monitored"] == false)
        #expect(try bus.description(of: "motion")["monitored"] == false)
    }
}
