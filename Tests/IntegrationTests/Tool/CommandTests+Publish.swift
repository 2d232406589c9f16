// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// `reveille publish` and `reveille withdraw`: output, errors and exit codes.
extension CommandTests {
    private func event(_ run: ProgramRun) throws -> JSONObject {
        try #require(try JSON.parse(Array(run.output.utf8)).objectValue)
    }

    @Test func publishPrintsTheResultingState() throws {
        let name = "org.example.player"
        let first = try bus.run(["publish", name, #"{"volume": 0.5, "muted": false}"#])
        #expect(first.output == "org.example.player  {\"muted\":false,\"volume\":0.5}\n")
        #expect(first.code == 0)
        let second = try event(bus.run(["publish", name, #"{"volume": 0.6}"#, "--json"]))
        #expect(second.aspect == name)
        #expect(second["value"] == ["volume": 0.6])
        // Members in another order, and the same number in another form, are not a change.
        #expect(try bus.run(["publish", name, #"{"b": 1, "a": 2}"#]).code == 0)
        let equal = try event(bus.run(["publish", name, #"{"a": 2.0, "b": 1}"#, "--json"]))
        #expect(equal.integer("generation") == second.integer("generation") + 1)
    }

    @Test func withdrawPrintsThatNothingIsPublished() throws {
        #expect(try bus.run(["publish", "org.example.player", "{}"]).code == 0)
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.*"]}"#)
        let run = try bus.run(["withdraw", "org.example.player"])
        #expect(run.output == "org.example.player  not published\n")
        #expect(run.code == 0)
        #expect(try subscriber.next().map { $0["value"] } == [.null])
        // Withdrawing again succeeds.
        let again = try bus.run(["withdraw", "org.example.player", "--json"])
        #expect(try event(again)["value"] == .null)
        #expect(again.code == 0)
        #expect(run.errors == "" && again.errors == "reveille: org.example.player was not published\n")
        #expect(try bus.run(["publish", "org.example.player", "{}"]).code == 0)
        let similar = try bus.run(["withdraw", "org.example.payer"])
        #expect(
            similar.errors == "reveille: org.example.payer was not published; did you mean org.example.player?\n")
    }

    @Test func valueIsReadFromStdin() throws {
        let run = try bus.shell(#"printf '{\n "a": [1,\n 2] }\n' | $R publish org.example.input -"#)
        #expect(run.output == "org.example.input  {\"a\":[1,2]}\n", "\(run.errors)")
        let empty = try bus.shell(#"$R publish org.example.input - </dev/null"#)
        #expect(empty.code == 64)
        #expect(empty.errors == "reveille: the value is not valid JSON: unexpected end at byte 0\n")
    }

    private static let invalidArguments: [([String], String)] = [
        (["volume", "{}"], "a published name must have at least two words of letters, digits, - and _"),
        (["org..x", "{}"], "a published name must have at least two words of letters, digits, - and _"),
        (["org.example.ä", "{}"], "a published name must have at least two words of letters, digits, - and _"),
        (["org.example.*", "{}"], "a pattern stands for many names; only one name can be published or withdrawn"),
        (["*", "{}"], "a pattern must be the beginning of a name and .*, such as org.example.*"),
        (["battery", "{}"], "an aspect of the device cannot be published; 'reveille post' posts"),
        (
            ["a." + String(repeating: "b", count: 254), "{}"],
            "a published name can have at most 255 bytes, not 256"
        ),
        (["org.example.x", "{volume:1}"], "unexpected 'v' at byte 1; in a shell, write '{\"volume\": 0.5}'"),
        (["org.example.x", #"{"volume": }"#], "the value is not valid JSON: unexpected '}' at byte 11\n"),
        (
            ["org.example.x", String(repeating: "{\"a\":", count: 28) + "1"],
            "org.example.x: the value is nested deeper than 27 levels at byte 135\n"
        ),
        (["org.example.x", ""], "the value is not valid JSON: unexpected end at byte 0"),
        (["org.example.x", "[1]"], #"must be a JSON object such as {"volume": 0.5}, not an array"#),
        (["org.example.x", "7"], "not a number\n"),
        (["org.example.x", "null"], "not null; to withdraw the state, use 'reveille withdraw org.example.x'"),
    ]

    @Test func invalidPublicationIsReported() throws {
        for (arguments, message) in Self.invalidArguments {
            let run = try bus.run(["publish"] + arguments)
            #expect(run.code == 64, "\(arguments)")
            #expect(run.errors.contains(message), "\(run.errors)")
            #expect(run.output.isEmpty)
        }
    }

    @Test(arguments: [5_000, 70_000]) func longValueIsRefusedWithTheLimit(length: Int) throws {
        let text = String(repeating: "x", count: length)
        let run = try bus.run(["publish", "org.example.long", #"{"text":"\#(text)"}"#])
        #expect(run.code == 75)
        #expect(run.errors.contains(length < 65_000 ? "4096" : "65024"), "\(run.errors)")
        #expect(try bus.run(["get", "org.example.long"]).output == "org.example.long  not published\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can switch users")) func otherUserIsRefusedWithTheRule() throws {
        let program = try OtherUser.program(in: bus.directory)
        for arguments in [["publish", "org.example.a", "{}"], ["withdraw", "org.example.a"]] {
            let run = try OtherUser.run([program] + arguments + ["--address", bus.address], in: bus.directory)
            #expect(run.code == 77)
            #expect(
                run.errors.contains(
                    "org.example.a: Publish: PermissionDenied: on a user's bus, only that user and root can publish; "))
            #expect(run.errors.contains("only root and the users to whom publish.allow grants the name"))
            #expect(run.errors.contains("only while no other user publishes it"))
        }
    }
}
