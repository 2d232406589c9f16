// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleTesting
import Testing
import Varlink

/// From a synthetic phone to a subscriber, with the real libudev, real files and the real program.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PhoneTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess

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

    @Test("B13: a change of level and state is one event") func pluggingInIsOneEvent() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        try phone.plugIn()
        let event = try subscriber.wait(for: "battery") { $0["state"] == "charging" }
        #expect(event["battery"]?.objectValue?["chargeStatus"] == "charging")
        #expect(event.integer("changes") == 1)
    }

    @Test(arguments: [Orientation.Pose.landscapeLeft, .landscapeRight, .portraitUpsideDown, .faceUp, .faceDown])
    func turningChangesThePose(pose: Orientation.Pose) throws {
        let subscriber = try bus.subscribe(#"{"aspects":["orientation"]}"#)
        try phone.rotate(to: pose)
        _ = try subscriber.wait(for: "orientation") { $0["pose"]?.stringValue == pose.rawValue }
    }

    @Test("B10: near, far and near again during sleep are one event") func coveringDuringSleepIsOneEvent() throws {
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        try subscriber.setState("background", on: control)
        for isNear in [true, false, true] {
            try phone.setNear(isNear)
            try control.call("Refresh")
        }
        #expect(subscriber.client.isSilent)
        try subscriber.setState("foreground", on: control)
        let events = try subscriber.next()
        #expect(events.map { $0.integer("changes") } == [3])
        #expect(events.first?["proximity"] == ["state": "near"])
    }

    @Test("B78: a wake takes a fresh sample first") func wakeTakesAFreshSample() throws {
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["orientation"]}"#)
        try subscriber.setState("background", on: control)
        try phone.rotate(to: .faceDown)
        try subscriber.setState("foreground", on: control)
        #expect(try subscriber.next().first?["orientation"]?.objectValue?["pose"] == "faceDown")
    }

    @Test("B70, B57: a device is watched only while it has subscribers") func devicesAreWatchedOnDemand() throws {
        let client = try bus.client()
        let monitored = {
            let aspects = try client.call("DescribeAspects").parameters.objects("aspects")
            return Set(aspects.filter { $0["monitored"] == true }.map(\.aspect))
        }
        #expect(try monitored() == ["locale", "defaults", "folders"])
        let subscriber = try bus.subscribe(#"{"aspects":["proximity"]}"#)
        #expect(try monitored() == ["locale", "defaults", "folders", "proximity"])
        withExtendedLifetime(subscriber) {}
    }

    @Test("B81: replacing, deleting and recreating a settings file causes one event each")
    func settingsFileCausesOneEventEach() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
        try phone.writeSettings(#"{"theme": "dark", "volume": 3}"#)
        let keys = { (event: JSONObject?) in
            event?["defaults"]?.objectValue?["domains"]?.arrayValue?.first?.objectValue?["keys"]
        }
        var events = try subscriber.next()
        #expect(events.map { $0.integer("changes") } == [1])
        #expect(keys(events.first) == ["theme", "volume"])
        try phone.writeSettings(#"{"volume": 3, "theme": "light"}"#)
        events = try subscriber.next()
        #expect(keys(events.first) == ["theme"])
    }

    @Test("B88: Refresh replies after all changes are posted, even for sleeping subscribers")
    func refreshWaitsForItsPosts() throws {
        let control = try bus.client()
        let sleeper = try bus.subscribe(#"{"aspects":["defaults"],"state":"background"}"#)
        for round in 1...20 {
            try phone.writeSettings("{\"round\": \(round)}")
            #expect(try control.call("Refresh").error == nil)
            let pending = try control.subscriptions().first?["pending"]
            #expect(pending == [["aspect": "defaults", "changes": .integer(Int64(round))]])
        }
        withExtendedLifetime(sleeper) {}
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

/// Missing devices, and programs that need no bus.
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

    @Test func demonstrationSucceeds() throws {
        let run = try ProgramRun(["demo"], in: TemporaryDirectory())
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("6 events: one for each aspect"))
    }

    @Test func doctorReportsEveryAspect() throws {
        let phone = try SyntheticPhone()
        let run = try ProgramRun(
            ["doctor", "--json", "--root", phone.files], in: TemporaryDirectory(),
            environment: phone.environment.merging(["HOME": phone.home]) { $1 })
        #expect(run.code == 0, "\(run.errors)")
        let lines = try run.output.split(separator: "\n").map { try JSON.parse(Array($0.utf8)).objectValue ?? [:] }
        #expect(lines.map(\.aspect) == Aspect.device.map(\.name).sorted())
        // A phone is created without a network and without folders.
        let missing = Set(lines.filter { $0["available"] != true }.map(\.aspect))
        #expect(missing.isSubset(of: ["network", "folders"]), "\(missing)")
        let orientation = lines.first { $0.aspect == "orientation" }
        #expect(orientation?.objects("findings").first { $0["name"] == "result" }?["value"] == "portrait")
    }
}
