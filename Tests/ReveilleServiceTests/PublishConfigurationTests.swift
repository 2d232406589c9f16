// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import Testing
import Varlink

@Suite struct PublishConfigurationTests {
    private func parse(_ text: String) throws -> Configuration {
        try Configuration(parsing: Array("{ publish: \(text) }".utf8))
    }

    @Test("users are given by name or number, and printed in the same form")
    func usersAreNamesOrNumbers() throws {
        let text = """
            { names: 7, valueSize: 65024, allow: [
              { names: "org.example.*", users: ["root", 1000] }, { names: "org.example", users: [] } ] }
            """
        let configuration = try parse(text)
        #expect(configuration.publish.names == 7)
        #expect(configuration.publish.valueSize == 65_024)
        let json = try #require(configuration.json["publish"])
        #expect(
            json["allow"] == [
                ["names": "org.example.*", "users": ["root", 1_000]], ["names": "org.example", "users": []],
            ])
        #expect(try parse(json.description).json == configuration.json)
    }

    @Test(
        "a value for which no call has room is refused with the limit",
        arguments: [
            ("{ publish: { valueSize: 65025 } }", "2 to 65024 (a call has at most 65536 bytes (bus.maxFrame))"),
            (
                "{ publish: { valueSize: 65536 }, bus: { maxFrame: 1048576 } }",
                "2 to 65024 (a call has at most 65536 bytes (bus.maxFrame))"
            ),
            (
                "{ publish: { valueSize: 1537 }, bus: { maxFrame: 2048 } }",
                "2 to 1536 (a call has at most 2048 bytes (bus.maxFrame))"
            ),
            ("{ publish: { valueSize: 1 } }", "2 to 65024"),
        ])
    func valueWithoutRoomIsRefused(text: String, range: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try Configuration(parsing: Array(text.utf8)) }
        #expect(
            error?.description.hasPrefix("publish.valueSize: not a whole number from \(range)") == true,
            "\(error as Any)")
    }

    @Test("a short call has room for the default value size, which is not checked") func defaultIsNotChecked() throws {
        let configuration = try Configuration(parsing: Array("{ bus: { maxFrame: 2048 } }".utf8))
        #expect(configuration.publish.valueSize == 4_096)
    }

    @Test(
        "an invalid permission is refused with its place",
        arguments: [
            ("{}", "publish.allow: not a list of permissions: {}"),
            ("[5]", "publish.allow[0]: not an object"),
            (#"[{ users: ["root"] }]"#, "publish.allow[0].names: missing"),
            (#"[{ names: "org.example.*" }]"#, "publish.allow[0].users: missing"),
            (
                #"[{ names: "org.a.b", users: [] }, { names: "org", users: [] }]"#,
                #"publish.allow[1].names: not a published name or a pattern: "org""#
            ),
            (
                #"[{ names: "battery", users: [] }]"#,
                #"publish.allow[0].names: not a published name or a pattern: "battery""#
            ),
            (
                #"[{ names: ["org.a.b"], users: [] }]"#,
                #"publish.allow[0].names: not a published name or a pattern: ["org.a.b"]"#
            ),
            (#"[{ names: "org.a.*", users: "root" }]"#, #"publish.allow[0].users: not a list of users: "root""#),
            (
                #"[{ names: "org.a.*", users: ["root", "no such user"] }]"#,
                #"publish.allow[0].users: not a user of this system: "no such user""#
            ),
            (#"[{ names: "org.a.*", users: [""] }]"#, #"publish.allow[0].users: not a user of this system: """#),
            (#"[{ names: "org.a.*", users: [-1] }]"#, "publish.allow[0].users: not a user of this system: -1"),
            (
                #"[{ names: "org.a.*", users: [4294967295] }]"#,
                "publish.allow[0].users: not a user of this system: 4294967295"
            ),
            (#"[{ names: "org.a.*", users: [0.5] }]"#, "publish.allow[0].users: not a user of this system: 0.5"),
            (#"[{ names: "org.a.*", users: [null] }]"#, "publish.allow[0].users: not a user of this system: null"),
            (#"[{ names: "org.a.*", users: [], user: 1 }]"#, "publish.allow[0].user: unknown key; did you mean users?"),
        ])
    func invalidPermissionIsRefused(allow: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try parse("{ allow: \(allow) }") }
        #expect(error?.description == message)
    }
}

extension JSON {
    fileprivate subscript(name: String) -> JSON? { objectValue?[name] }
}
