// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Switches of the case, with the real libudev and the real program.
@Suite(.blocking, .timeLimit(.minutes(10))) struct SwitchesTests {
    private let phone: SyntheticPhone
    private let bus: BusProcess

    init() throws {
        phone = try SyntheticPhone()
        bus = try BusProcess(phone: phone)
    }

    private static func switches(_ lid: JSON, _ tablet: JSON, _ dock: JSON) -> JSON {
        ["lidClosed": lid, "tabletMode": tablet, "docked": dock]
    }

    @Test("each switch is null until it exists, and its events are changes")
    func eventsOfSwitchesAreChanges() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["switches"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["switches"] == Self.switches(nil, nil, nil))
        try phone.lid.insert()
        try subscriber.wait(for: "switches") { $0["lidClosed"] == false }
        try phone.lid.set(true)
        try subscriber.wait(for: "switches") { $0["lidClosed"] == true }
        try phone.tabletMode.set(true)
        try phone.dock.set(false)
        let event = try subscriber.wait(for: "switches") { $0["docked"] == false && $0["tabletMode"] == true }
        #expect(event["switches"] == Self.switches(true, true, false))
        try phone.lid.set(false)
        try subscriber.wait(for: "switches") { $0["lidClosed"] == false }
        try phone.lid.remove()
        try subscriber.wait(for: "switches") { $0["lidClosed"] == JSON.null }
        try phone.lid.insert()
        try subscriber.wait(for: "switches") { $0["lidClosed"] == false }
    }

    @Test("no device is open while nobody subscribes, and a question leaves none open")
    func devicesAreOpenOnDemand() throws {
        try phone.lid.insert()
        let isOpen = { try bus.descriptors().contains { $0.hasSuffix("/dev/input/event0") } }
        #expect(try !isOpen())
        #expect(try bus.client().state(of: "switches")["switches"] == Self.switches(false, nil, nil))
        #expect(try !isOpen())
        var subscriber: Subscriber? = try bus.subscribe(#"{"aspects":["switches"]}"#)
        #expect(try isOpen())
        withExtendedLifetime(subscriber) { subscriber = nil }
        try bus.waitForRest(of: "switches")
        #expect(try !isOpen())
    }

    @Test("devices that come and go in a burst end as they are") func burstOfDevicesEnds() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["switches"]}"#)
        for round in 0..<20 {
            try phone.lid.set(round.isMultiple(of: 2))
            try phone.tabletMode.set(!round.isMultiple(of: 3))
            if round.isMultiple(of: 5) { try phone.lid.remove() }
        }
        try subscriber.wait(for: "switches") { $0["lidClosed"] == false && $0["tabletMode"] == true }
        #expect(try bus.client().state(of: "switches")["switches"] == Self.switches(false, true, nil))
    }

    @Test("the source names the devices, or why there is none") func sourceNamesDevices() throws {
        let none = try bus.description(of: "switches")
        #expect(none["available"] == false && none["reason"] == "no switch of the case can be read")
        try phone.lid.insert()
        try phone.dock.insert()
        #expect(try bus.description(of: "switches")["source"] == "event0, event5")
    }

    @Test("the commands get, post, watch and on know the switches") func commandsKnowSwitches() throws {
        try phone.lid.set(true)
        #expect(try bus.run(["get", "switches"]).output.contains("lid closed"))
        let posted = try bus.run(["post", "switches", "docked"])
        #expect(posted.code == 0, "\(posted.errors)")
        #expect(try bus.client().state(of: "switches")["switches"] == Self.switches(true, nil, true))
        let wrong = try bus.run(["post", "switches", "ajar"])
        #expect(wrong.code != 0 && wrong.errors.contains("closed, open, tablet, laptop"), "\(wrong.errors)")
        let watched = try bus.run(["watch", "switches", "--initial", "--count", "1"])
        #expect(watched.output.contains("lid closed, docked"), "\(watched.output)\(watched.errors)")
    }

    @Test("steps of a scenario set the switches, and on runs a command when the lid is closed")
    func stepsSetSwitches() throws {
        let scenario = """
            wait subscribed
            lid open
            expect switches false
            tablet on
            dock on
            expect switches tabletMode true changes 1
            background
            lid closed
            lid open
            lid closed
            remove dock
            foreground
            expect switches lidClosed true changes 4
            expect switches docked unknown
            """
        let run = try SimulateScene().simulate(
            scenario, [BusProcess.program, "on", "switches", "lidClosed == true", "--count", "1", "--", "echo", "shut"])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "shut\n")
    }
}
