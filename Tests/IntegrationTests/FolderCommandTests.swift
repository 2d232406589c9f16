// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Testing

/// The commands with the aspect `folders`.
@Suite(.blocking, .timeLimit(.minutes(10))) struct FolderCommandTests {
    private static let hint = "no folders are configured; set folders in the configuration"

    @Test func foldersWithoutConfigurationAreExplained() throws {
        let bus = try BusProcess()
        #expect(try bus.run(["get", "folders"]).output == "folders     \(FolderCommandTests.text)\n")
        let json = try bus.run(["get", "folders", "--json"])
        #expect(json.errors.contains("reveille: " + Self.hint))
        #expect(!json.output.contains(Self.hint))
        let watch = try bus.run(["watch", "folders", "--timeout", "0.2"])
        #expect(watch.errors.contains("reveille: " + Self.hint))
        #expect(!(try bus.run(["get", "locale", "--json"]).errors.contains(Self.hint)))
        #expect(try bus.run(["check", "folders"]).output.contains("no folders are configured"))
    }

    private static let text = hint + #", as in { folders: { documents: "~/Documents" } }"#

    @Test func configuredFoldersAreNotExplained() throws {
        let bus = try BusProcess(configuration: "{ folders: { documents: '~/Documents' } }")
        #expect(try !bus.run(["get", "folders"]).output.contains(Self.hint))
        #expect(try bus.run(["watch", "folders", "--timeout", "0.2"]).errors.contains(Self.hint) == false)
    }
}
