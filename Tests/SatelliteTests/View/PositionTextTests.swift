// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleViewCore
import Testing
import Varlink

/// The positions of a page as the `id` of an event.
@Suite struct PositionTextTests {
    @Test("a position is the same after being written and parsed") func roundTrip() {
        for position in [
            Positions(instance: "0a", generations: [:]), Positions(instance: "0a", generations: [.battery: 0]),
            Positions(instance: "A-_9", generations: [.battery: .max, "org.example.a-b_c": 7, .locale: 12]),
        ] {
            #expect(Positions(position.text) == position)
        }
        #expect(
            Positions(instance: "i", generations: ["org.example": 3, .light: 2, .battery: 1]).text
                == "i~battery:1~light:2~org.example:3")
    }

    @Test(
        "any other text is refused",
        arguments: [
            "", "~", "a~", "~battery:1", "a~battery", "a~battery:", "a~:1", "a~battery:-1", "a~battery:+1",
            "a~battery:01", "a~battery: 1", "a~battery:9223372036854775808", "a~battery:1~battery:1", "a~b c:1",
            "a\n", "a~battery:1\n", "a b", "é", "a~\u{0}:1", String(repeating: "a", count: 65), "a~battery:1~",
            "a~org.example.*:1", "a~weather:1",
        ])
    func invalidTexts(text: String) {
        #expect(Positions(text) == nil)
    }

    @Test("a position has room for a hundred names, and those beyond are left out, the device's never") func size()
        throws
    {
        let names = (0..<1_000).map { (Aspect(stringLiteral: "org.example.name\($0)"), 100) }
        var position = Positions(
            instance: String(repeating: "f", count: 32), generations: Dictionary(uniqueKeysWithValues: names))
        position.generations[.power] = 1
        position.generations[.battery] = 2
        let text = position.text
        #expect(text.utf8.count <= Positions.textLimit)
        let parsed = try #require(Positions(text))
        #expect(parsed.generations[.power] == 1 && parsed.generations[.battery] == 2)
        #expect(parsed.generations.count > 100)
        #expect(parsed.generations.allSatisfy { position.generations[$0.key] == $0.value })
    }

    @Test("an event of a stream has one line of data, whatever its strings contain") func encoding() throws {
        let data: JSONObject = ["text": "a\n\ndata: b\r\nid: x\u{2028}"]
        let bytes = ServerSentEvent.encode(
            "events", data, at: Positions(instance: "i", generations: [.battery: 3]).text)
        let lines = String(decoding: bytes, as: UTF8.self).utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        #expect(
            lines.count == 5 && lines[0] == "id: i~battery:3" && lines[1] == "event: events" && lines[3...] == ["", ""])
        #expect(!bytes.contains(UInt8(ascii: "\r")))
        #expect(try JSON.parse(Array(lines[2].dropFirst("data: ".count).utf8)) == .object(data))
    }
}
