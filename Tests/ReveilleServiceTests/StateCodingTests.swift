// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleService
import Testing
import Varlink

@Suite struct StateCodingTests {
    private static let state = SavedState(
        instance: "one", sequence: 9,
        entries: [
            SavedState.Entry(
                generation: 4, sequence: 9, changedAt: Timestamp(microseconds: 7), state: .whole(.proximity(.near)),
                isPosted: true, ownReading: .proximity(.far)),
            SavedState.Entry(
                generation: 2, sequence: 3, changedAt: Timestamp(microseconds: 5), state: .digest(17, of: .defaults)),
        ])

    @Test func stateSurvivesItsFile() throws {
        #expect(try StateCoding.decode(JSON.parse(StateCoding.encode(Self.state))) == Self.state)
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
}
