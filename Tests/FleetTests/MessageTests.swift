// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import Testing
import Varlink

@Suite("Messages of a fleet")
struct MessageTests {
    @Test("a state is the same after it was encoded and decoded")
    func stateRoundTrip() throws {
        let message = StateMessage(
            instance: "ab12", generation: 41, changes: 7, changedAt: 1_700_000_000_000_000, isSynchronized: false,
            value: .object(["level": .number(0.5)]))
        #expect(try StateMessage(message.bytes) == message)
    }

    @Test(
        "an invalid state is refused with the reason",
        arguments: [
            ("", "is not JSON"), ("[]", "is not a JSON object"), ("{\"instance\":\"a\"}", "has no \"generation\""),
            ("{\"instance\":\"a\",\"generation\":-1,\"value\":{}}", "less than 0"),
            ("{\"instance\":\"a\",\"generation\":9007199254740992,\"value\":{}}", "more than 9007199254740991"),
            ("{\"instance\":\"a\",\"generation\":1,\"changes\":2,\"value\":{}}", "has 2 changes at generation 1"),
            ("{\"instance\":\"a/b\",\"generation\":1,\"value\":{}}", "has the invalid instance 'a/b'"),
            ("{\"instance\":\"a\",\"generation\":1,\"value\":7}", "neither an object nor null"),
            ("{\"instance\":\"a\",\"generation\":1}", "has no \"value\""),
        ])
    func invalidState(text: String, reason: String) {
        let error = #expect(throws: FleetError.self) { try StateMessage(Array(text.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("a status with the most and longest names is read again")
    func longestStatus() throws {
        let names = (0..<StatusMessage.aspectLimit).map { number in
            "org.example." + String(repeating: "x", count: 238) + "\(10_000 + number)"
        }
        let position = FleetPosition(
            instance: String(repeating: "i", count: 64), generation: StateMessage.generationLimit)
        let message = StatusMessage(
            isOnline: true, aspects: names,
            taken: Dictionary(uniqueKeysWithValues: names.prefix(DesiredStates.nameLimit).map { ($0, position) }))
        #expect(try StatusMessage(message.bytes) == message)
    }

    @Test("a plain object is a desired value without a count")
    func plainDesired() throws {
        let message = try DesiredMessage(Array("{\"mode\":\"night\"}".utf8))
        #expect(message.generation == nil)
        #expect(message.value["mode"] == "night")
    }

    @Test(
        "a topic is the same after it was parsed",
        arguments: [
            "reveille/v1/kiosk-7/status", "reveille/v1/kiosk-7/state/battery",
            "reveille/v1/kiosk-7/desired/org.example.mode", "reveille/v1/group/shops/desired/org.example.mode",
            "reveille/v1/reader/desk/mark",
        ])
    func topics(text: String) throws {
        #expect(try FleetTopic(text).text == text)
    }

    @Test(
        "a topic outside the protocol is refused",
        arguments: [
            "", "reveille/v1", "reveille/v2/a/status", "reveille/v1/a/state", "reveille/v1/a/state/",
            "reveille/v1/a/state/b/c", "reveille/v1/a b/status", "reveille/v1/group/status", "reveille/v1/a/state/..",
        ])
    func invalidTopics(text: String) {
        #expect(throws: FleetError.self) { try FleetTopic(text) }
    }
}
