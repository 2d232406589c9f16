// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import Testing

@Suite(.blocking, .timeLimit(.minutes(10))) struct FoldersTests {
    private let scene: FolderScene

    init() async throws {
        scene = try await FolderScene()
    }

    @Test("without a request, changes are delivered once they have settled") func changesAreNoticed() async throws {
        let reader = try await scene.subscribe()
        try scene.write("a")
        #expect(try await reader.next()?.folders?.folders.first?.words == ["+a"])
        scene.move("a", "b")
        #expect(try await reader.next()?.folders?.folders.first?.words == ["a→b"])
    }

    @Test("a subscriber that saw the last state before a restart gets the difference, others all names")
    func positionsSurviveARestart() async throws {
        try await scene.change { try scene.write("old") }
        let early = try await scene.device.get(.folders).generation
        try await scene.change { try scene.write("a") }
        let state = try await scene.device.get(.folders)
        try scene.bus.waitUntilSaved()
        #expect(scene.bus.stop() == 0)
        scene.move("a", "b")
        try scene.bus.restart()
        try await scene.device.refresh()
        let instance = try scene.bus.subscribe().instance
        func resume(from generation: Int) async throws -> Folders.Folder? {
            let positions = Positions(instance: instance, generations: [.folders: generation])
            let subscription = try await scene.device.subscribe(
                to: [.folders], options: SubscriptionOptions(resume: positions))
            return try await subscription.next()?.folders?.folders.first
        }
        let exact = try await resume(from: state.generation)
        #expect(exact?.words == ["a→b"])
        let all = try await resume(from: early)
        #expect(all?.isRescan == true)
        #expect(all?.added == ["b", "old"])
    }

    @Test("an event has at most a megabyte of names") func longNamesAreCut() async throws {
        let reader = try await scene.subscribe()
        try await reader.enterBackground()
        let end = String(repeating: "é", count: 120)
        try await scene.change { for index in 0..<6_000 { try scene.write("\(index)\(end)") } }
        let folder = try #require(try await scene.wake(reader).event.folders?.folders.first)
        #expect(folder.isRescan)
        #expect(4_000..<6_000 ~= folder.added.count)
        let state = try #require(try await scene.device.state(of: .folders).folders.first)
        #expect(state.added == folder.added)
    }

    @Test func onlyFoldersWithoutConfigurationAreExplained() throws {
        let hint = "no folders are configured; set folders in the configuration"
        let bus = try BusProcess()
        let plain = try bus.run(["get", "folders"]).output
        #expect(plain == "folders     \(hint), as in { folders: { documents: \"~/Documents\" } }\n")
        let json = try bus.run(["get", "folders", "--json"])
        #expect(json.errors.contains("reveille: " + hint))
        #expect(!json.output.contains(hint))
        #expect(try bus.run(["watch", "folders", "--timeout", "0.2"]).errors.contains("reveille: " + hint))
        #expect(try !bus.run(["get", "locale", "--json"]).errors.contains(hint))
        #expect(try bus.run(["check", "folders"]).output.contains("no folders are configured"))
        #expect(try !scene.bus.run(["get", "folders"]).output.contains(hint))
        #expect(try !scene.bus.run(["watch", "folders", "--timeout", "0.2"]).errors.contains(hint))
    }
}
