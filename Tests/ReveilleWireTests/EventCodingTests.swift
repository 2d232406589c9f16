// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

@Suite struct EventCodingTests {
    static let readings: [Reading] =
        [
            .locale(
                LocaleSettings(
                    identifier: "es_ES", languages: ["es-ES", "en"], numeric: "es_MX", time: "es_MX", monetary: "es_MX",
                    measurement: "es_ES")),
            .defaults(
                Defaults(domains: [
                    .init(name: "app", path: "/a", values: ["k": 0, "l": 0], isOpaque: false),
                    .init(name: "b", path: "/b", values: ["": 0], isOpaque: true),
                ])),
            .battery(
                Battery(
                    state: .charging, level: 0.5, isPlugged: true, chargeStatus: .notCharging,
                    packs: [.init(name: "BAT0", level: nil, chargeStatus: .notCharging)])),
            .battery(.unknown), .proximity(.near), .orientation(Orientation(pose: .faceUp, planar: .portrait)),
            .orientation(.unknown),
            .light(Light(lux: 0.1)), .light(.unknown),
            .display(
                Display(
                    screens: [
                        .init(name: "eDP-1", width: 1_920, height: 1_080, widthMM: 344, heightMM: 194, scale: 1.5),
                        .init(name: "HDMI-A-1", width: 800, height: 600),
                    ], brightness: 0.25)),
            .display(.unknown),
            .network(
                Network(isReachable: true, interface: "wlan0", kind: .wifi, addresses: ["192.0.2.7", "2001:db8::7"])),
            .network(.unreachable),
            .orientation(.unknown),
            .motion(
                Motion(
                    acceleration: Motion.Vector(x: 0, y: -0.5, z: -1e-9), rotation: Motion.Vector(x: 1.5, y: 0, z: 70),
                    takenAt: Timestamp(microseconds: 1_795_354_930_402_511))),
            .motion(
                Motion(
                    acceleration: nil, rotation: Motion.Vector(x: 1, y: 2, z: 3), takenAt: Timestamp(microseconds: -1))),
            .motion(.unknown), .shake(Shake(peak: 2.25)), .shake(.unknown),
            .folders(Folders(folders: [folder])), .power(.sample), .power(.unknown), .lifecycle(.suspended),
        ] + SampleStates.readings

    static let postable = readings.filter { $0.aspect.builtIn?.isPostable == true }

    private static var folder: Folders.Folder {
        var folder = Folders.Folder(name: "documents", path: "/d")
        (folder.added, folder.removed, folder.changed) = (["a\\\\b"], ["c"], ["e"])
        folder.renamed = [Folders.Rename(from: "d", to: "e")]
        folder.isRescan = true
        return folder
    }

    static func event(_ reading: Reading, changes: Int = 3, generation: Int = 7) -> Event {
        Event(
            reading: reading, generation: generation, sequence: 9, changeCount: changes, isNetChange: true,
            firstChangedAt: Timestamp(microseconds: 1), changedAt: Timestamp(microseconds: 2), droppedCount: 0)
    }

    @Test(
        "each aspect has a nullable field of its name in Event and, if it can be posted, in Post, with its fields",
        arguments: Aspect.device)
    func aspectIsOnTheWire(_ aspect: Aspect) throws {
        let interface = BusInterface.make()
        guard case .structure(let event)? = interface.types["Event"] else {
            Issue.record("Event is not a structure")
            return
        }
        let name = aspect.name.prefix(1).uppercased() + aspect.name.dropFirst()
        let post = try #require(interface.methods["Post"]).input
        #expect(event.fields.first { $0.name == aspect.name }?.type == .nullable(.named(name)))
        let posted = post.fields.first { $0.name == aspect.name }?.type
        #expect(posted == (aspect.builtIn?.isPostable == true ? .nullable(.named(name)) : nil))
        #expect(Self.fields(of: .named(name), in: interface) == aspect.builtIn?.fields.map(\.name))
    }

    private static func fields(of type: ValueType, in interface: Interface) -> [String] {
        switch type {
        case .nullable(let type), .array(let type): fields(of: type, in: interface)
        case .named(let name): interface.types[name].map { fields(of: $0, in: interface) } ?? []
        case .structure(let structure):
            structure.fields.flatMap { field in
                [field.name] + fields(of: field.type, in: interface).map { "\(field.name).\($0)" }
            }
        default: []
        }
    }

    @Test func writerDistinguishesEventsWithTheSameState() throws {
        var writer = EventWriter()
        let events = (0..<200).map { Self.event(.proximity(.near), changes: $0) }
        for event in events + [Self.event(.proximity(.far), changes: 3, generation: 8)] {
            #expect(writer.write([event]) == JSON.object([event].parameters).bytes)
        }
    }

    @Test("an event is written as it is encoded, with negative times, escapes and the largest numbers")
    func eventIsWrittenAsItIsEncoded() {
        let name = Aspect("org.example.volume")
        let values = [nil, #"{"text":"\"\\","x":[1,{}]}"#].map { text in
            Reading.published(PublishedValue(name, bytes: text.map { Array($0.utf8) }))
        }
        for reading in Self.readings + values {
            var writer = EventWriter()
            let event = Event(
                reading: reading, generation: .max, sequence: 0, changeCount: 1, isNetChange: false,
                firstChangedAt: Timestamp(microseconds: .min), changedAt: Timestamp(microseconds: -1), droppedCount: 5)
            #expect(writer.write([event]) == #"{"events":["#.utf8 + event.structure.bytes + "]}".utf8)
        }
    }

    @Test("replies with one event equal the writer's, even if it wrote others in between")
    func frameIsTheReplyOfItsEvents() {
        var writer = EventWriter()
        let near = Self.event(.proximity(.near))
        let level = Self.event(.battery(.unknown))
        let lists = [
            [near], [near], [level], [near], [near, level], [near], [Self.event(.proximity(.near), changes: 4)],
            [Self.event(.proximity(.far), generation: 8)], [near],
        ]
        for events in lists {
            #expect(writer.frame(events) == Reply.encode(parameters: writer.write(events), continues: true))
        }
    }

    @Test(
        arguments: [
            (#"{"state":"sideways","level":null,"plugged":null,"chargeStatus":"full","packs":[]}"#, "battery.state"),
            (#"{"state":"full","level":-0.1,"plugged":null,"chargeStatus":"full","packs":[]}"#, "battery.level"),
            (
                #"{"state":"full","level":1,"plugged":true,"chargeStatus":"full","packs":[{"name":"B","level":2,"chargeStatus":"full"}]}"#,
                "battery.packs.level"
            ),
        ])
    func invalidStateNamesTheField(text: String, path: String) throws {
        let json = try JSON.parse(Array(text.utf8))
        #expect(throws: CallError.invalidParameter(path)) { try ReadingCoding.decode(json, of: .battery) }
    }

    @Test func subscriptionIDsAreSixteenHexadecimalDigits() {
        #expect(SubscriptionID(rawValue: 0xAB).wireName == "00000000000000ab")
        #expect(SubscriptionID(wireName: "00000000000000ab") == SubscriptionID(rawValue: 0xAB))
        for name in ["", "ab", "00000000000000AB", "+0000000000000ab", "00000000000000abc"] {
            #expect(SubscriptionID(wireName: name) == nil, "\(name)")
        }
    }
}

extension Power {
    fileprivate static var sample: Power {
        var pack = Pack(name: "BAT0")
        (pack.vendor, pack.model, pack.technology) = ("SMP", "DELL 1234", "Li-ion")
        (pack.energy, pack.energyFull, pack.energyFullDesign) = (31.25, 48.5, 57)
        (pack.power, pack.voltage, pack.temperature, pack.cycles) = (-7.5, 11.4, -0.5, 312)
        var power = Power(packs: [pack, Pack(name: "BAT1")])
        (power.power, power.energy, power.energyFull, power.health) = (-7.5, 31.25, 48.5, 0.85)
        (power.secondsToEmpty, power.secondsToFull) = (15_000, nil)
        return power
    }
}
