// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Testing
import Varlink

/// The bytes of events, which strict clients of earlier versions read.
@Suite struct EventTextTests {
    private static let texts: [(Reading, String)] = [
        (
            EventCodingTests.readings[0],
            #""locale":{"identifier":"es_ES","languages":["es-ES","en"],"numeric":"es_MX","time":"es_MX","#
                + #""monetary":"es_MX","measurement":"es_ES"}"#
        ),
        (
            EventCodingTests.readings[1],
            #""defaults":{"domains":[{"domain":"app","path":"/a","keys":["k","l"],"opaque":false},"#
                + #"{"domain":"b","path":"/b","keys":[],"opaque":true}]}"#
        ),
        (.defaults(Defaults(domains: [])), #""defaults":{"domains":[]}"#),
        (
            EventCodingTests.readings[2],
            #""battery":{"state":"charging","level":0.5,"plugged":true,"chargeStatus":"notCharging","#
                + #""packs":[{"name":"BAT0","level":null,"chargeStatus":"notCharging"}]}"#
        ),
        (
            .battery(.unknown),
            #""battery":{"state":"unknown","level":null,"plugged":null,"chargeStatus":"unknown","packs":[]}"#
        ),
        (
            .battery(
                Battery(
                    state: .full, level: 1, isPlugged: true, chargeStatus: .full, packs: [], supply: .wireless)),
            #""battery":{"state":"full","level":1.0,"plugged":true,"chargeStatus":"full","packs":[],"supply":"wireless"}"#
        ),
        (.proximity(.near), #""proximity":{"state":"near"}"#),
        (EventCodingTests.readings[5], #""orientation":{"pose":"faceUp","planar":"portrait"}"#),
        (.orientation(.unknown), #""orientation":{"pose":"unknown","planar":null}"#),
        (.published(PublishedValue("org.example.a", ["b": [1, "c"]])), #""value":{"b":[1,"c"]}"#),
        (.unknown("org.example.a"), #""value":null"#),
    ]

    private static func event(_ reading: Reading) -> Event {
        Event(
            reading: reading, generation: 4_294_967_296, sequence: 0, changeCount: 10, isNetChange: true,
            firstChangedAt: Timestamp(microseconds: -1), changedAt: Timestamp(microseconds: 1_763_806_000_123_456),
            droppedCount: .max)
    }

    /// The fields of `event` before the state.
    private static func head(_ aspect: Aspect) -> String {
        #"{"aspect":"\#(aspect)","generation":4294967296,"sequence":0,"changes":10,"netChange":true,"#
            + #""firstChangedAt":-1,"changedAt":1763806000123456,"dropped":9223372036854775807,"#
    }

    @Test("an event has exactly these bytes, alone and after another", arguments: texts)
    func eventHasTheseBytes(reading: Reading, state: String) {
        let event = Self.event(reading)
        let text = Self.head(reading.aspect) + state + "}"
        var writer = EventWriter()
        #expect(
            String(decoding: writer.frame([event]), as: UTF8.self)
                == #"{"parameters":{"events":[\#(text)]},"continues":true}"# + "\0")
        #expect(
            String(decoding: writer.frame([event, event]), as: UTF8.self)
                == #"{"parameters":{"events":[\#(text),\#(text)]},"continues":true}"# + "\0")
    }

    @Test(
        "strings of any length and content are written like the JSON value",
        arguments: ["", "\"", "\u{0}\u{1F} \u{7F}\\", "é\u{2028}🎵", "abc\ndef\"ghi"])
    func anyStringIsWritten(unit: String) {
        for count in [1, 2, 7, 8, 9, 31, 62, 63, 300] {
            let string = String(repeating: unit, count: count)
            let locale = LocaleSettings(
                identifier: string, languages: Array(repeating: string, count: 3), numeric: "", time: string,
                monetary: "x", measurement: string)
            let domain = Defaults.Domain(name: string, path: string, values: [string: 1, "a": 2], isOpaque: false)
            let pack = Battery.Pack(name: string, level: -1.2345678901234567e-300, chargeStatus: .full)
            let battery = Battery(
                state: .full, level: .nan, isPlugged: false, chargeStatus: .full, packs: [pack, pack])
            for reading in [.locale(locale), .defaults(Defaults(domains: [domain])), .battery(battery)] as [Reading] {
                let event = Self.event(reading)
                var writer = EventWriter()
                #expect(
                    writer.frame([event])
                        == Reply(parameters: ["events": [event.structure]], continues: true).encoded())
            }
        }
    }

    @Test("an event is written whole, wherever the room for its text ends") func eventsOfAnyLengthAreWritten() {
        for count in 0..<1_100 {
            let locale = LocaleSettings(
                identifier: String(repeating: "x", count: count), languages: ["a"], numeric: "\n", time: "",
                monetary: "b", measurement: "c")
            let event = Self.event(.locale(locale))
            var writer = EventWriter()
            let frame = writer.frame([event])
            #expect(frame == Reply(parameters: ["events": [event.structure]], continues: true).encoded())
            var lists = EventWriter()
            #expect(
                lists.frame([event, event])
                    == Reply(parameters: ["events": [event.structure, event.structure]], continues: true).encoded())
        }
    }

    @Test(arguments: [0, 9, 10, 99_999_999, 100_000_000, .max])
    func replyToPostIsWrittenLikeItsParameters(number: Int) {
        let reply = Revision(generation: number, sequence: number)
        #expect(reply.encoded() == Reply(parameters: reply.parameters).encoded())
        #expect(
            reply.encoded() == Array("{\"parameters\":{\"generation\":\(number),\"sequence\":\(number)}}\0".utf8))
        #expect(EmptyReply().encoded() == Array("{}\0".utf8))
    }
}
