// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleTesting
import Testing

/// The events of a wake, and the reply to the call that caused it.
@Suite(.blocking, .timeLimit(.minutes(10))) struct WakeOrderTests {
    /// The bus could send both at nearly the same time, so a wrong order does not show every time.
    private static let attempts = 30

    private let phone: SyntheticPhone
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(on: phone)
    }

    private func change(_ aspect: String, step: Int, on control: RawClient) throws {
        guard aspect == "proximity" else {
            try control.call("Publish", #"{"aspect":"\#(aspect)","value":{"step":\#(step)}}"#)
            return
        }
        // The held sensor is read rarely, so the wake waits for a sample with this state.
        try phone.setNear(step.isMultiple(of: 2))
    }

    @Test("the events of a wake are sent before its reply", arguments: ["proximity", "org.example.volume"])
    func eventsOfAWakeAreSentBeforeItsReply(aspect: String) throws {
        try phone.setNear(false)
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["\#(aspect)"],"initial":true}"#)
        for step in 0..<Self.attempts {
            try subscriber.setState("background", on: control)
            try change(aspect, step: step, on: control)
            try subscriber.setState("foreground", on: control)
            try #require(!subscriber.client.isSilent, "attempt \(step)")
            #expect(try subscriber.next().map { $0.integer("changes") } == [1])
        }
    }

    @Test(
        "the library's enterForeground returns when the events of the wake are due",
        arguments: ["proximity", "org.example.volume"] as [Aspect])
    func eventsAreDueAfterEnterForeground(aspect: Aspect) async throws {
        try phone.setNear(false)
        let device = try await Device.connect(to: bus.address)
        let subscription = try await device.subscribe(to: [aspect])
        let control = try bus.client()
        // The bus does not wait long for a first call.
        try control.fence()
        for step in 0..<Self.attempts {
            try await subscription.enterBackground()
            try change(aspect.name, step: step, on: control)
            try await subscription.enterForeground()
            let event = try #require(subscription.nextIfDue(), "attempt \(step)")
            #expect(event.changeCount == 1)
            #expect(subscription.nextIfDue() == nil)
        }
    }
}
