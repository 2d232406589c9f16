// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

struct FoldersScene {
    static let folder = "/home/u/Documents"

    let scene: Scene
    let watcher: FoldersWatcher

    init(_ prepare: (Scene) -> Void = { _ in }) throws {
        scene = try Scene()
        scene.makeDirectory(Self.folder)
        prepare(scene)
        watcher = try FoldersWatcher(
            loop: scene.loop, folders: [ConfiguredFolder(name: "documents", path: "~/Documents")],
            settings: FileSettings(paths: [], root: scene.root, home: "/home/u"), context: scene.context)
        watcher.pace = .live
        scene.step("scan", {}, until: { [scene] in !scene.readings.isEmpty })
    }

    var listing: FolderListing? { scene.readings.last?.folders?.listings.first }

    var names: [String]? { listing?.entries.map(\.name.text) }

    func path(_ name: String) -> String { Self.folder + "/" + name }

    /// Makes an empty file whose name consists of any bytes.
    func makeFile(_ name: [UInt8]) {
        let path = (Array(scene.at(Self.folder + "/").utf8) + name + [0]).map { CChar(bitPattern: $0) }
        let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
    }
}
