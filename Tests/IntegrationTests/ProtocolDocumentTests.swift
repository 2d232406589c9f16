// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing

/// The messages in `Docs/Protocol.md`, compared line by line with a real bus.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ProtocolDocumentTests {
    @Test func everyMessageOfTheDocumentIsExact() throws {
        let lines = try Package.text("Docs/Protocol.md").split(separator: "\n").filter { $0.hasSuffix("␀") }.map {
            String($0.dropLast())
        }
        #expect(lines.count > 15)
        let bus = try BusProcess()
        var clients: [Substring: RawClient] = [:]
        // The ids of subscriptions and instances in the document, and those of this bus.
        var names: [String: String] = [:]
        for line in lines {
            let peer = line.prefix(1)
            let message = String(line.dropFirst(3))
            if clients[peer] == nil { clients[peer] = try bus.client() }
            let client = try #require(clients[peer])
            if line.dropFirst().hasPrefix(">") {
                try client.send(names.reduce(message) { $0.replacing($1.key, with: $1.value) })
                continue
            }
            let received = try #require(try client.receiveText())
            for (documented, actual) in zip(Self.identifiers(message), Self.identifiers(received)) {
                names[documented] = actual
            }
            let expected = names.reduce(Self.withoutTimes(message)) { $0.replacing($1.key, with: $1.value) }
            #expect(Self.withoutTimes(received) == expected)
        }
    }

    private static func identifiers(_ text: String) -> [String] {
        text.matches(of: #/"(?:subscription|instance)":"([0-9a-f]{16,32})"/#).map { String($0.output.1) }
    }

    private static func withoutTimes(_ text: String) -> String {
        text.replacing(#/hangedAt":\d{16}/#, with: "hangedAt\":TIME")
    }
}
