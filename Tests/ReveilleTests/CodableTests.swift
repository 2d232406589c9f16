// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Reveille
import ReveilleWire
import Testing
import Varlink

/// Events as programs store them have the form that they have on the wire.
@Suite(.timeLimit(.minutes(10))) struct CodableTests {
    private static let readings: [Reading] =
        Aspect.device.map(Reading.unknown) + [
            .locale(
                LocaleSettings(
                    identifier: "es_ES", languages: ["es-ES", "en"], numeric: "es_MX", time: "es_MX",
                    monetary: "es_MX", measurement: "es_ES")),
            .defaults(
                Defaults(domains: [
                    .init(name: "app", path: "/a", values: ["k": 0, "l": 0], isOpaque: false),
                    .init(name: "b", path: "/b", values: ["": 0], isOpaque: true),
                ])),
            .battery(
                Battery(
                    state: .charging, level: 0.1, isPlugged: true, chargeStatus: .notCharging,
                    packs: [.init(name: "BAT0", level: 1, chargeStatus: .notCharging)])),
            .proximity(.near), .orientation(Orientation(pose: .faceUp, planar: .portrait)),
            .power(power), .unknown("org.example.volume"),
            .published("org.example.volume", ["level": 0.1, "steps": 10, "muted": false, "of": .null]),
            .published("org.example.player", ["track": ["title": "é\u{1F3B5}\n", "length": 9_007_199_254_740_993]]),
        ]

    private static var power: Power {
        var pack = Power.Pack(name: "BAT0")
        (pack.vendor, pack.technology, pack.power, pack.cycles) = ("SMP", "Li-ion", -7.5, 312)
        var power = Power(packs: [pack])
        (power.power, power.energy, power.energyFull, power.secondsToEmpty) = (-7.5, 31.25, 48.5, 15_000)
        return power
    }

    private static func event(_ reading: Reading) throws -> Event {
        let structure = Event(
            reading: reading, generation: 3, sequence: 9, changeCount: 2, isNetChange: false,
            firstChangedAt: Timestamp(microseconds: 1), changedAt: Timestamp(microseconds: 2), droppedCount: 1
        ).structure
        return try Event(structure: structure)
    }

    @Test(arguments: readings) func eventIsWrittenAsOnTheWire(reading: Reading) throws {
        let event = try Self.event(reading)
        let written = try JSON.parse(Array(JSONEncoder().encode(event)))
        #expect(written.canonical == event.structure.canonical)
        #expect(try JSONDecoder().decode(Event.self, from: JSONEncoder().encode(event)) == event)
        let received = Data(event.structure.description.utf8)
        #expect(try JSONDecoder().decode(Event.self, from: received) == event)
    }

    @Test func publishedValueIsAnObjectInTheFieldValue() throws {
        let event = try Self.event(.published("org.example.volume", ["level": 0.5]))
        let text = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        #expect(text.contains(#""value":{"level":0.5}"#))
        let withdrawn = try Self.event(.unknown("org.example.volume"))
        #expect(String(decoding: try JSONEncoder().encode(withdrawn), as: UTF8.self).contains(#""value":null"#))
    }

    @Test(arguments: readings) func readingHasTheFormOfItsFieldOfAnEvent(reading: Reading) throws {
        func check<Value: Codable & Equatable>(_ value: Value) throws {
            let field = try Self.event(reading).structure.objectValue?[reading.aspect.name]
            #expect(try field?.decode(Value.self) == value)
            #expect(try JSON(encoding: value).decode(Value.self) == value)
        }
        switch reading {
        case .locale(let locale): try check(locale)
        case .defaults(let defaults): try check(defaults)
        case .battery(let battery): try check(battery)
        case .orientation(let orientation): try check(orientation)
        case .light(let light): try check(light)
        case .display(let display): try check(display)
        case .network(let network): try check(network)
        case .folders(let folders): try check(folders)
        case .motion(let motion): try check(motion)
        case .shake(let shake): try check(shake)
        case .power(let power): try check(power)
        case .sleep(let sleep): try check(sleep)
        case .switches(let switches): try check(switches)
        case .proximity, .lifecycle, .published: break
        }
    }

    @Test("the length of a sleep that fits no duration is the longest, or none", arguments: ["1e300", "1e16", "-5"])
    func lengthOfSleep(number: String) throws {
        let sleep = try JSON.parse(Array(#"{"state":"awake","sleptFor":\#(number)}"#.utf8)).decode(Sleep.self)
        #expect(sleep.sleptFor == (number == "-5" ? .zero : .seconds(1_000_000_000_000_000)))
        #expect(sleep.description.hasPrefix("awake, slept for "))
    }

    @Test("a word that a later version adds is unknown, also in what a program has stored")
    func laterWordsAreUnknown() throws {
        let battery = try JSON.parse(
            Array(#"{"state":"boosting","level":0.5,"plugged":true,"chargeStatus":"wireless","packs":[]}"#.utf8))
        let known = Battery(state: .unknown, level: 0.5, isPlugged: true, chargeStatus: .unknown, packs: [])
        #expect(try battery.decode(Battery.self) == known)
        let network = try JSON.parse(
            Array(#"{"reachable":true,"interface":"sat0","kind":"satellite","addresses":[]}"#.utf8))
        #expect(try network.decode(Network.self).kind == nil)
        #expect(try JSON.string("hovering").decode(Proximity.self) == .unknown)
        #expect(try JSON.string("dozing").decode(Lifecycle.self) == .unknown)
        let sleep = try JSON.parse(Array(#"{"state":"resuming","sleptFor":1.5}"#.utf8))
        #expect(try sleep.decode(Sleep.self) == Sleep(state: .unknown, sleptFor: .milliseconds(1_500)))
        #expect(try JSON.string("resuming").decode(Sleep.State.self) == .unknown)
        let orientation = try JSON.parse(Array(#"{"pose":"tilted","planar":"tilted"}"#.utf8))
        #expect(try orientation.decode(Orientation.self) == .unknown)
        let event = try Self.event(.battery(known)).structure.description
            .replacing(#""state":"unknown""#, with: #""state":"boosting""#)
        #expect(try JSONDecoder().decode(Event.self, from: Data(event.utf8)) == Self.event(.battery(known)))
    }

    @Test(
        arguments: [
            "7", "[]", "{}", #"{"aspect":"battery"}"#, #"{"aspect":"org.example.volume","generation":"two"}"#,
        ])
    func otherJSONIsNotAnEvent(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Event.self, from: Data(text.utf8)) }
    }

    @Test(
        arguments: [
            (.battery(Battery(state: .charging, level: 0.5)), "battery: charging, 50%"),
            (.battery(.unknown), "battery: unknown"), (.proximity(.near), "proximity: near"),
            (.orientation(Orientation(pose: .faceUp, planar: .portrait)), "orientation: faceUp, last upright portrait"),
            (.orientation(.unknown), "orientation: unknown"),
            (.power(power), "power: -7.5 W, 31.3 of 48.5 Wh, empty in 4:10"), (.power(.unknown), "power: unknown"),
            (.locale(.posix), "locale: en_US_POSIX"),
            (
                .defaults(
                    Defaults(domains: [
                        Defaults.Domain(name: "a", path: "/a.json", values: ["x": 0, "y": 0], isOpaque: false),
                        Defaults.Domain(name: "b", path: "/b", values: [:], isOpaque: true),
                    ])), "defaults: a: x y; b (opaque)"
            ),
        ] as [(Reading, String)])
    func eventIsALineForPeople(reading: Reading, state: String) throws {
        #expect(try Self.event(reading).description == state + " (2 changes, back where it was, 1 dropped)")
    }
}
