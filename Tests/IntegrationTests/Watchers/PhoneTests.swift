// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// From a synthetic phone to a subscriber, with the real libudev, real files and the real program.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PhoneTests {
    let phone: SyntheticPhone
    let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(on: phone)
    }

    @Test func firstReplyHasTheCurrentState() throws {
        let subscriber = try bus.subscribe(#"{"initial":true}"#)
        let states = Dictionary(uniqueKeysWithValues: subscriber.initialEvents.map { ($0.aspect, $0[$0.aspect]) })
        #expect(states["battery"]??.objectValue?["state"] == "unplugged")
        #expect(states["battery"]??.objectValue?["level"]?.numberValue == 0.8)
        #expect(states["proximity"] == ["state": "far"])
        #expect(states["orientation"] == ["pose": "portrait", "planar": "portrait"])
        #expect(states["locale"]??.objectValue?["identifier"] == "en_US")
        #expect(subscriber.initialEvents.allSatisfy { $0.integer("changes") == 0 && $0.integer("generation") == 0 })
    }

    @Test func changeWhileTheBusIsDownIsAChange() throws {
        let first = try bus.subscribe(#"{"initial":true}"#)
        #expect(bus.stop() == 0)
        try phone.setLocale("de_DE.UTF-8")
        try phone.rotate(to: .landscapeLeft)
        try bus.restart()
        let positions = ["locale", "orientation", "battery"].map { #"{"aspect":"\#($0)","generation":0}"# }
        let second = try bus.subscribe(
            #"{"instance":"\#(first.instance)","resume":[\#(positions.joined(separator: ","))]}"#)
        #expect(second.first["resumed"] == true)
        #expect(Set(second.initialEvents.map(\.aspect)) == ["locale", "orientation"])
        #expect(second.initialEvents.map { $0.integer("changes") } == [1, 1])
    }
}

@Suite(.blocking, .timeLimit(.minutes(10))) struct MissingDeviceTests {
    @Test("B49: a missing device is reported with a reason") func missingDeviceIsReported() throws {
        let bus = try BusProcess()
        let client = try bus.client()
        for aspect in ["battery", "orientation"] {
            let description = try bus.description(of: aspect)
            #expect(description["available"] == false)
            #expect(description["reason"]?.stringValue?.isEmpty == false)
        }
        #expect(try client.state(of: "battery")["battery"]?.objectValue?["state"] == "unknown")
        #expect(try client.state(of: "orientation")["orientation"] == ["pose": "unknown", "planar": .null])
    }

    @Test("B49: devices that are added or removed without a subscriber are detected by the next call")
    func everyCallDetectsDevicesAgain() throws {
        let phone = try SyntheticPhone(
            batteries: 0, hasCharger: false, hasAccelerometer: false, hasProximitySensor: false)
        let parts: [(Aspect, SyntheticPart)] = [
            (.battery, phone.battery), (.proximity, phone.proximitySensor), (.orientation, phone.accelerometer),
        ]
        let bus = try BusProcess(on: phone)
        for (aspect, part) in parts {
            #expect(try bus.description(of: aspect.name)["available"] == false, "\(aspect) initially")
            // A refresh reads once and does not cache the result.
            #expect(try bus.client().call("Refresh").error == nil)
            try part.insert()
            #expect(try bus.description(of: aspect.name)["available"] == true, "\(aspect) added")
            #expect(try bus.client().call("Refresh").error == nil)
            try part.remove()
            #expect(try bus.description(of: aspect.name)["available"] == false, "\(aspect) removed")
        }
    }
}
