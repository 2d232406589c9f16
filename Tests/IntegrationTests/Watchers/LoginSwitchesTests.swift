// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Switches that only the login manager knows, with a real message bus.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: LoginScene.isThere || getenv("CI") != nil, "dbus-daemon is missing"))
struct LoginSwitchesTests {
    private let scene: LoginScene
    private let phone: SyntheticPhone
    private let bus: BusProcess

    init() async throws {
        scene = try await LoginScene()
        phone = try SyntheticPhone()
        bus = try BusProcess(phone: phone, environment: scene.environment)
    }

    private static func switches(_ lid: JSON, _ tablet: JSON, _ dock: JSON) -> JSON {
        ["lidClosed": lid, "tabletMode": tablet, "docked": dock]
    }

    private func state() throws -> JSON? { try bus.client().state(of: "switches")["switches"] }

    @Test("the lid is null until it was closed once, and the dock is known at once")
    func lidIsKnownOnceItWasClosed() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(false), "Docked": .boolean(false)])
        let subscriber = try bus.subscribe(#"{"aspects":["switches"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["switches"] == Self.switches(nil, nil, false))
        await scene.manager.set("LidClosed", .boolean(true))
        try bus.client().call("Refresh")
        try subscriber.wait(for: "switches") { $0["lidClosed"] == true }
        await scene.manager.set("LidClosed", .boolean(false))
        await scene.manager.set("Docked", .boolean(true))
        // A question is answered with the state now, since the login manager reports no changes.
        #expect(try state() == Self.switches(false, nil, true))
        #expect(try bus.description(of: "switches")["source"] == "login manager (LidClosed, Docked)")
    }

    @Test("a machine of which no device and no property shows a switch has no source")
    func machineWithoutASwitch() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(false), "Docked": .boolean(false)])
        let subscriber = try bus.subscribe(#"{"aspects":["switches"]}"#)
        #expect(try bus.description(of: "switches")["reason"] == "no switch of the case can be read")
        await scene.manager.set("Docked", .boolean(true))
        try bus.client().call("Refresh")
        #expect(try bus.description(of: "switches")["available"] == true)
        withExtendedLifetime(subscriber) {}
    }

    @Test("a subscriber that wakes receives what the login manager says now")
    func wakingSubscriberReceivesNews() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(false)])
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["switches"]}"#)
        try subscriber.setState("background", on: control)
        await scene.manager.set("LidClosed", .boolean(false))
        try subscriber.setState("foreground", on: control)
        let events = try subscriber.next()
        #expect(events.map { $0["switches"] } == [Self.switches(false, nil, false)])
        #expect(events.first?.integer("changes") == 1)
    }

    @Test("a device whose node cannot be opened leaves its switch to the login manager")
    func deviceThatCannotBeOpened() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(false)])
        let parent = try phone.testbed.add(
            subsystem: "input", name: "input40", attributes: ["capabilities/sw": "1", "name": "Lid Switch"])
        _ = try phone.testbed.add(
            subsystem: "input", name: "event40", parent: parent, properties: ["DEVNAME": "/dev/input/event40"])
        let subscriber = try bus.subscribe(#"{"aspects":["switches"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["switches"] == Self.switches(true, nil, false))
        try wait(for: "the reason in the log") { bus.log.contains("/dev/input/event40") }
        // As udev does when it grants access.
        try phone.testbed.setSwitches(0, of: "/dev/input/event40")
        try parent.uevent("change")
        try subscriber.wait(for: "switches") { $0["lidClosed"] == false }
    }

    @Test("a login manager that is absent is the reason, is not started, and is not an error each time")
    func absentManagerIsNotStarted() async throws {
        let control = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["switches"],"initial":true}"#)
        #expect(subscriber.initialEvents.first?["switches"] == Self.switches(nil, nil, nil))
        for _ in 0..<3 { try control.call("Refresh") }
        #expect(!scene.wasStartedByTheBus)
        #expect(!bus.log.contains("switches: "), "\(bus.log)")
        let reason = try bus.description(of: "switches")["reason"]
        #expect(reason == "no switch of the case can be read; no login manager on the message bus")
        // It may start later, and leave again.
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(false)])
        try control.call("Refresh")
        try subscriber.wait(for: "switches") { $0["lidClosed"] == true }
        await scene.manager.leave()
        try control.call("Refresh")
        try subscriber.wait(for: "switches") { $0["docked"] == JSON.null }
    }

    @Test("a property that is missing or of another type is null, and the other is known")
    func missingPropertyIsNull() async throws {
        try await scene.manager.appear(["LidClosed": .string("yes"), "Docked": .boolean(true)])
        #expect(try state() == Self.switches(nil, nil, true))
        await scene.manager.set("LidClosed", nil)
        await scene.manager.set("Docked", .boolean(false))
        #expect(try state() == Self.switches(nil, nil, false))
    }

    @Test("a login manager that does not answer keeps the previous state and delays nothing else")
    func silentManagerKeepsTheState() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(true)])
        let subscriber = try bus.subscribe(#"{"aspects":["switches"]}"#)
        await scene.manager.fallSilent()
        #expect(try state() == Self.switches(true, nil, true))
        try wait(for: "the reason in the log") { bus.log.contains("switches: login manager: no reply within") }
        try phone.tabletMode.set(true)
        try subscriber.wait(for: "switches") { $0["tabletMode"] == true && $0["docked"] == true }
    }

    @Test("a login manager that answers late is asked again until it answers")
    func lateManagerIsAskedAgain() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(true)])
        let subscriber = try bus.subscribe(#"{"aspects":["switches"]}"#)
        #expect(try state() == Self.switches(true, nil, true))
        await scene.manager.pause()
        try bus.client().call("Refresh")
        try wait(for: "the reason in the log") { bus.log.contains("switches: login manager: no reply within") }
        await scene.manager.set("Docked", .boolean(false))
        await scene.manager.goOn()
        try subscriber.wait(for: "switches") { $0["docked"] == false && $0["lidClosed"] == true }
    }

    @Test("there is no connection to the message bus before and after an answer")
    func connectionEndsWithTheAnswer() async throws {
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(true)])
        let alone = try scene.connections
        let subscriber = try bus.subscribe(#"{"aspects":["switches"]}"#)
        #expect(try state() == Self.switches(true, nil, true))
        try wait(for: "the end of the connection") { try scene.connections == alone }
        withExtendedLifetime(subscriber) {}
    }

    @Test("doctor shows the answer, or why there is none") func doctorShowsTheAnswer() async throws {
        func examine() throws -> String {
            let run = try ProgramRun(
                ["doctor"], program: BusProcess.program, in: bus.directory,
                environment: phone.environment.merging(scene.environment) { $1 })
            return run.output
        }
        #expect(try examine().contains("no login manager on the message bus"))
        try await scene.manager.appear(["LidClosed": .boolean(true), "Docked": .boolean(false)])
        try phone.tabletMode.set(true)
        let text = try examine()
        #expect(text.contains("tabletMode on") && text.contains("Docked=false, LidClosed=true"), "\(text)")
        #expect(text.contains("lid closed, tablet mode, undocked"), "\(text)")
    }
}

/// Without a message bus, as on a minimal system.
@Suite(.blocking, .timeLimit(.minutes(10))) struct BareSwitchesTests {
    @Test("a missing message bus is the reason, and not an error") func missingBusIsTheReason() throws {
        let bus = try BusProcess()
        #expect(try bus.client().state(of: "switches")["switches"]?.objectValue?["docked"] == JSON.null)
        let reason = try bus.description(of: "switches")["reason"]?.stringValue
        #expect(reason?.hasPrefix("no switch of the case can be read; no message bus: ") == true, "\(reason ?? "")")
        #expect(!bus.log.contains("switches: "), "\(bus.log)")
    }
}
