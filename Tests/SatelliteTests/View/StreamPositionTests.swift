// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import BusPosition
import ReveilleViewCore
import Testing
import Varlink

/// The positions of a page as the `id` of an event.
@Suite struct StreamPositionTests {
    @Test("a position is the same after being written and parsed") func roundTrip() {
        for position in [
            StreamPosition(instance: "0a"), StreamPosition(instance: "0a", generations: ["battery": 0]),
            StreamPosition(instance: "A-_9", generations: ["battery": .max, "org.example.a-b_c": 7, "locale": 12]),
        ] {
            #expect(StreamPosition(position.text) == position)
        }
        #expect(
            StreamPosition(instance: "i", generations: ["org.example": 3, "light": 2, "battery": 1]).text
                == "i~battery:1~light:2~org.example:3")
    }

    @Test(
        "any other text is refused",
        arguments: [
            "", "~", "a~", "~battery:1", "a~battery", "a~battery:", "a~:1", "a~battery:-1", "a~battery:+1",
            "a~battery:01", "a~battery: 1", "a~battery:9223372036854775808", "a~battery:1~battery:1", "a~b c:1",
            "a\n", "a~battery:1\n", "a b", "é", "a~\u{0}:1", String(repeating: "a", count: 65), "a~battery:1~",
        ])
    func invalidTexts(text: String) {
        #expect(StreamPosition(text) == nil)
    }

    @Test("a position has room for a hundred names, and those beyond are left out, the device's never") func size()
        throws
    {
        var position = StreamPosition(
            instance: String(repeating: "f", count: 32), generations: ["power": 1, "battery": 2])
        for number in 0..<1_000 { position.generations["org.example.name\(number)"] = 100 }
        let text = position.text
        #expect(text.utf8.count <= StreamPosition.sizeLimit)
        let parsed = try #require(StreamPosition(text))
        #expect(parsed.generations["power"] == 1 && parsed.generations["battery"] == 2)
        #expect(parsed.generations.count > 100)
        #expect(parsed.generations.allSatisfy { position.generations[$0.key] == $0.value })
    }

    @Test("events move a position, and a name that is withdrawn leaves it") func events() throws {
        var position = StreamPosition(instance: "i", generations: ["org.example.b": 4])
        position.note([
            ["aspect": "battery", "generation": 5, "battery": ["state": "full"]],
            ["aspect": "org.example.a", "generation": 2, "value": ["x": 1]],
            ["aspect": "org.example.b", "generation": 5, "value": nil],
            ["aspect": "no name", "generation": 5], ["aspect": "light"], ["generation": 1], 3, nil,
        ])
        #expect(position.generations == ["battery": 5, "org.example.a": 2])
    }

    @Test("names that are missing among all states were withdrawn; aspects of the device never are") func missing() {
        var position = StreamPosition(
            instance: "i", generations: ["battery": 1, "org.example.a": 1, "org.example.c": 1, "org.example.b": 1])
        let withdrawn = position.removeNames(missingIn: [["aspect": "org.example.b"]])
        #expect(withdrawn == ["org.example.a", "org.example.c"])
        #expect(position.generations == ["battery": 1, "org.example.b": 1])
    }

    @Test("an event of a stream has one line of data, whatever its strings contain") func encoding() throws {
        let data: JSONObject = ["text": "a\n\ndata: b\r\nid: x\u{2028}"]
        let bytes = ServerSentEvent.encode(
            "events", data, at: StreamPosition(instance: "i", generations: ["battery": 3]).text)
        let lines = String(decoding: bytes, as: UTF8.self).utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        #expect(
            lines.count == 5 && lines[0] == "id: i~battery:3" && lines[1] == "event: events" && lines[3...] == ["", ""])
        #expect(!bytes.contains(UInt8(ascii: "\r")))
        #expect(try JSON.parse(Array(lines[2].dropFirst("data: ".count).utf8)) == .object(data))
    }
}
