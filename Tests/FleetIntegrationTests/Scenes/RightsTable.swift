// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// The table of what each client of a broker may do, in Docs/Satellites/Fleet.md.
struct RightsTable {
    struct Right: Sendable {
        let mayPublish: Bool
        let mayRead: Bool
    }

    static let clients = ["device itself", "other device", "reader", "setter", "operator", "homeassistant"]
    /// The names in topics that stand for others.
    private static let names = [
        "DEVICE": "phone", "ASPECT": "battery", "NAME": "org.example.mode", "GROUP": "shops", "READER": "r1",
        "OTHER": "lamp",
    ]

    private let rows: [[String]]

    init() throws {
        let path = FleetScene.root + "/Docs/Satellites/Fleet.md"
        guard case .bytes(let bytes) = FileContents.read(path, limit: 1 << 20) else { throw Trouble("no \(path)") }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        let table = lines.drop { $0 != "<!-- rights -->" }.prefix { $0 != "<!-- end of rights -->" }.dropFirst()
        rows = table.map { line in
            line.split(separator: "|").map { $0.split { " `".contains($0) }.joined(separator: " ") }
        }
        guard rows.count > 2, rows[0] == ["topic"] + Self.clients else {
            throw Trouble("no table of rights in \(path)")
        }
    }

    func rights(of client: String) throws -> [String: Right] {
        guard let column = rows[0].firstIndex(of: client) else { throw Trouble("no column '\(client)'") }
        var rights: [String: Right] = [:]
        for row in rows.dropFirst(2) {
            let word = row[column]
            guard ["publish", "read", "both", "-"].contains(word) else { throw Trouble("'\(word)' is not a right") }
            rights[Self.topic(row[0])] = Right(
                mayPublish: word == "publish" || word == "both", mayRead: word == "read" || word == "both")
        }
        return rights
    }

    private static func topic(_ text: String) -> String {
        let topic = names.reduce(text) { $0.replacing($1.key, with: $1.value) }
        return topic.hasPrefix("homeassistant/") ? topic : "reveille/v1/" + topic
    }
}
