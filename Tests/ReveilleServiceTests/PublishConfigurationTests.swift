// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleService
import Testing
import Varlink

/// The section `publish` of the configuration.
@Suite struct PublishConfigurationTests {
    private func parse(_ text: String) throws -> Configuration {
        try Configuration(parsing: Array("{ publish: \(text) }".utf8))
    }

    @Test("users are given by name or number, and printed in the same form")
    func usersAreNamesOrNumbers() throws {
        let text = """
            { names: 7, valueSize: 65536, allow: [
              { names: "org.example.*", users: ["root", 1000] }, { names: "org.example", users: [] } ] }
            """
        let configuration = try parse(text)
        #expect(configuration.publish.names == 7)
        #expect(configuration.publish.valueSize == 65_536)
        let json = try #require(configuration.json["publish"])
        #expect(
            json["allow"] == [
                ["names": "org.example.*", "users": ["root", 1_000]], ["names": "org.example", "users": []],
            ])
        #expect(try parse(json.description).json == configuration.json)
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
            (#"[{ names: "org.a.*", users: [], user: 1 }]"#, "publish.allow[0].user: unknown key"),
        ])
    func invalidPermissionIsRefused(allow: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try parse("{ allow: \(allow) }") }
        #expect(error?.description == message)
    }
}

extension JSON {
    fileprivate subscript(name: String) -> JSON? { objectValue?[name] }
}
