// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Screens and a backlight, with the real libudev and the real program.
extension PhoneTests {
    @Test("B169: a screen that is plugged in and unplugged in the background is one event without a net change")
    func screenThatComesAndGoesIsOneEvent() throws {
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["display"]}"#)
        try subscriber.setState("background", on: control)
        try phone.monitor.insert()
        try control.call("Refresh")
        try phone.monitor.remove()
        try control.call("Refresh")
        #expect(subscriber.client.isSilent)
        try subscriber.setState("foreground", on: control)
        let events = try subscriber.next()
        #expect(events.map { $0.integer("changes") } == [2])
        #expect(events.first?["netChange"] == false)
    }

    @Test("B170: forty steps of the brightness in the background are one event with the newest brightness")
    func brightnessStepsAreOneEvent() throws {
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["display"]}"#)
        try subscriber.setState("background", on: control)
        for step in 1...40 {
            try phone.setBrightness(0.5 + Double(step) / 100)
            try control.call("Refresh")
        }
        try subscriber.setState("foreground", on: control)
        let events = try subscriber.next()
        #expect(events.map { $0.integer("changes") } == [40])
        #expect(events.first?["display"]?.objectValue?["brightness"] == 0.9)
    }

    @Test("a display whose modes the compositor queries after the event becomes a screen without another event")
    func lateModesAreFound() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["display"]}"#)
        try phone.monitor.insert()
        try subscriber.wait(for: "display") { $0.objects("screens").count == 2 }
        let device = try #require(phone.monitor.device)
        try device.set("modes", "")
        try device.uevent("change")
        try subscriber.wait(for: "display") { $0.objects("screens").count == 1 }
        try device.set("modes", "1280x720")
        try subscriber.wait(for: "display") { $0.objects("screens").last?.integer("width") == 1_280 }
    }

    @Test func firstReplyHasTheBrightnessUntilTheBacklightVanishes() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["display"],"initial":true}"#)
        let display = subscriber.initialEvents.first?["display"]?.objectValue
        #expect(display?["brightness"] == 0.5)
        #expect(display?.objects("screens").map { $0["name"] } == ["DSI-1"])
        #expect(display?.objects("screens").map { $0.integer("height") } == [2_340])
        try phone.backlight.remove()
        try subscriber.wait(for: "display") { $0["brightness"] == JSON.null }
        try phone.backlight.insert()
        try subscriber.wait(for: "display") { $0["brightness"] == 0.5 }
    }
}
