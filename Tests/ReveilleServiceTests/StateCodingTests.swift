// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import Testing
import Varlink

@Suite struct StateCodingTests {
    private static let state = SavedState(
        instance: "one", sequence: 9,
        entries: [
            SavedState.Entry(
                generation: 8, sequence: 8, changedAt: Timestamp(microseconds: 6),
                state: .whole(.published(PublishedValue("org.example.volume", bytes: Array(#"{"level":0.5}"#.utf8)))),
                publisher: Publisher(user: .max), start: 3),
            SavedState.Entry(
                generation: 6, sequence: 6, changedAt: Timestamp(microseconds: 6),
                state: .whole(.published(PublishedValue("org.example.withdrawn", bytes: nil))), start: 6),
            SavedState.Entry(
                generation: 4, sequence: 9, changedAt: Timestamp(microseconds: 7), state: .whole(.proximity(.near)),
                isPosted: true, ownReading: .proximity(.far)),
            SavedState.Entry(
                generation: 5, sequence: 5, changedAt: Timestamp(microseconds: 5),
                state: .whole(
                    .battery(
                        Battery(
                            state: .charging, level: nil, isPlugged: true, chargeStatus: .charging, packs: [],
                            supply: .usb)))),
            SavedState.Entry(
                generation: 2, sequence: 3, changedAt: Timestamp(microseconds: 5), state: .digest(17, of: .defaults)),
            SavedState.Entry(
                generation: 3, sequence: 7, changedAt: Timestamp(microseconds: 5),
                state: .whole(.folders(Folders(listings: [listing("a", version: nil), listing("b", version: .max)])))),
        ])

    private static func listing(_ name: String, version: UInt64?) -> FolderListing {
        let names = ["x", "e\u{301}", "\u{e9}"]
        return FolderListing(
            name: name, path: "/" + name,
            entries: names.map { FolderEntry(name: EntryName(escaped: $0), identity: .max, stamp: 1) },
            version: version)
    }

    @Test(
        "a saved folder with a damaged entry is refused",
        arguments: [
            "7", "[]", #"["x",1]"#, #"["x",1,"2"]"#, #"["x",1,2],["x",3,4]"#, #"[1,2,3]"#,
        ])
    func damagedFolderIsRefused(entries: String) throws {
        let text =
            #"{"version":1,"instance":"one","sequence":9,"aspects":[{"aspect":"folders","generation":1,"#
            + #""sequence":1,"changedAt":1,"state":[{"name":"d","path":"/d","entries":["# + entries + "]}]}]}"
        #expect(throws: StateError.self) { try StateCoding.decode(JSON.parse(Array(text.utf8))) }
    }

    @Test("a battery that was saved by an earlier version has no supply")
    func batteryOfAnEarlierVersionIsRead() throws {
        let text =
            #"{"version":1,"instance":"one","sequence":9,"aspects":[{"aspect":"battery","generation":1,"sequence":1,"#
            + #""changedAt":1,"state":{"state":"full","level":1,"plugged":true,"chargeStatus":"full","packs":[]}}]}"#
        let state = try StateCoding.decode(JSON.parse(Array(text.utf8)))
        let expected = Battery(state: .full, level: 1, isPlugged: true, chargeStatus: .full, packs: [])
        #expect(state.entries.map(\.state) == [.whole(.battery(expected))])
    }

    @Test func stateSurvivesItsFile() throws {
        #expect(try StateCoding.decode(JSON.parse(StateCoding.encode(Self.state))) == Self.state)
    }

    @Test("settings that are saved whole take at most 128 KiB of the file", arguments: [0, 1, 100])
    func savedSettingsAreBounded(keys: Int) {
        let values = Dictionary(uniqueKeysWithValues: (0..<keys).map { ("k\($0)", UInt64(1) << 63) })
        var domains: [Defaults.Domain] = []
        var size = 0
        while case .whole(let reading) = KeptReading(.defaults(Defaults(domains: domains))) {
            let entry = SavedState.Entry(
                generation: 1, sequence: 1, changedAt: Timestamp(microseconds: 1), state: .whole(reading))
            size = StateCoding.encode(SavedState(instance: "one", sequence: 1, entries: [entry])).count
            for _ in 0..<10 {
                let name = "program\(domains.count)"
                domains.append(Defaults.Domain(name: name, path: "/" + name, values: values, isOpaque: false))
            }
        }
        // The rest of the file is a few numbers.
        #expect(size <= KeptReading.sizeLimit + 200 && size > KeptReading.sizeLimit * 3 / 4)
    }

    @Test(
        "a state that no bus can have saved is refused",
        arguments: [
            ("instance", .string(String(repeating: "i", count: 65)), "its instance is longer than 64 bytes"),
            ("sequence", 8, "an aspect is newer than the state"),
        ] as [(String, JSON, String)])
    func impossibleStateIsRefused(field: String, value: JSON, reason: String) throws {
        var top = try #require(JSON.parse(StateCoding.encode(Self.state)).objectValue)
        top[field] = value
        let error = #expect(throws: StateError.self) { try StateCoding.decode(.object(top)) }
        #expect(error?.reason == reason)
    }

    @Test("an aspect that only another version knows is skipped, and the rest is kept")
    func unknownAspectIsSkipped() throws {
        var top = try #require(JSON.parse(StateCoding.encode(Self.state)).objectValue)
        let newer: JSON = [
            "aspect": "volume", "generation": 3, "sequence": 8, "changedAt": 6, "state": ["level": 0.5],
            "posted": true, "own": ["level": 1],
        ]
        top["aspects"] = .array([newer] + (top["aspects"]?.arrayValue ?? []))
        #expect(try StateCoding.decode(.object(top)) == Self.state)
    }

    /// Returns the saved state of a name with some fields replaced, or removed.
    private func encoded(_ fields: JSONObject, without missing: String? = nil) throws -> JSON {
        var entry: JSONObject = [
            "aspect": "org.example.volume", "generation": 3, "sequence": 4, "changedAt": 5, "publisher": 1_000,
            "state": ["level": 0.5],
        ]
        for member in fields.members { entry[member.name] = member.value }
        if let missing { entry[missing] = nil }
        return ["version": 1, "instance": "one", "sequence": 9, "aspects": [.object(entry)]]
    }

    @Test(
        "a name that no bus can have saved is refused with the reason",
        arguments: [
            (["publisher": -1], "the saved publisher is not a user"),
            (["publisher": 4_294_967_296], "the saved publisher is not a user"),
            (["publisher": "root"], "the saved publisher is not a user"),
            (["publisher": .null], "the saved publisher is not a user"),
            (["state": [1]], "the saved value is not an object"),
            (["state": "x"], "the saved value is not an object"),
            (
                ["state": ["a": .string(String(repeating: "x", count: 65_536))]],
                "the saved value is longer than 65536 bytes"
            ),
        ] as [(JSONObject, String)])
    func impossibleNameIsRefused(fields: JSONObject, reason: String) throws {
        let state = try encoded(fields)
        let error = #expect(throws: StateError.self) { try StateCoding.decode(state) }
        #expect(error?.reason == "org.example.volume: " + reason)
    }

    @Test("a generation above the sequence is refused, since a name that comes back would use it again")
    func generationIsNotAboveTheSequence() throws {
        let state = try encoded(["generation": 10])
        let error = #expect(throws: StateError.self) { try StateCoding.decode(state) }
        #expect(error?.reason == "an aspect is newer than the state")
    }

    @Test("more names of a user than any configuration allows are refused") func namesAreLimited() throws {
        let entries = (0...65_536).map { number -> JSON in
            [
                "aspect": .string("org.example.n\(number)"), "generation": 3, "sequence": 4, "changedAt": 5,
                "publisher": 1_000, "state": [:],
            ]
        }
        let state: JSON = ["version": 1, "instance": "one", "sequence": 9, "aspects": .array(entries)]
        let error = #expect(throws: StateError.self) { try StateCoding.decode(state) }
        #expect(error?.reason == "a user has more than 65536 names")
    }

    @Test(
        "a name that no program can publish is skipped",
        arguments: ["volume", "org.example.*", "org..example", "", "org.exämple"])
    func invalidNameIsSkipped(name: String) throws {
        #expect(try StateCoding.decode(encoded(["aspect": .string(name)])).entries.isEmpty)
    }

    @Test("a saved value that is not in its canonical form is brought into it") func valueIsCanonical() throws {
        let state = try StateCoding.decode(encoded(["state": ["b": 1.0, "a": .null]]))
        #expect(state.entries.map { $0.state.reading?.published?.json } == [#"{"a":null,"b":1}"#])
    }

    @Test("a withdrawn name has no publisher, whatever the file contains") func withdrawnNameHasNoPublisher() throws {
        for fields in [["state": .null], ["state": .null, "publisher": -1]] as [JSONObject] {
            let entry = try #require(StateCoding.decode(encoded(fields)).entries.first)
            #expect(entry.publisher == nil)
            #expect(entry.state.reading?.published?.bytes == nil)
        }
        #expect(try StateCoding.decode(encoded([:], without: "state")).entries.map(\.publisher) == [nil])
    }
}
