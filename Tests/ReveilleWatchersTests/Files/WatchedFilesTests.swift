// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct WatchedFilesTests {
    @Test("calls get their turn between the files of a long reading") func longReadingSharesTheLoop() throws {
        let scene = try Scene()
        scene.makeDirectory("/d")
        for index in 0..<4 { scene.write("/d/f\(index)", "1") }
        var turns = ""
        // Each file takes longer than a part of the reading.
        let format = FileFormat<[UInt8]>(sizeLimit: { _ in 100 }, membership: { _ in .yes }) { _, _, bytes, _ in
            let start = Clocks.boot()
            while Clocks.boot() - start < 3_000 {}
            turns += "f"
            return bytes
        }
        let settings = FileSettings(paths: ["/d"], root: scene.root, home: "/")
        let files = try WatchedFiles(
            loop: scene.loop, settings: settings, format: format, context: scene.context
        ) { _ in }
        files.pace = .live
        let pipe = try Pipe()
        pipe.wake()
        // As readable all the time as the connection of a client that always calls.
        let calls = try scene.loop.watch(pipe.readingEnd, for: .readable) { _ in turns += "c" }
        turns = ""
        scene.step(
            "change", { for index in 0..<4 { scene.write("/d/f\(index)", "2") } },
            until: { turns.count { $0 == "f" } == 4 })
        try scene.play()
        #expect(!turns.contains("ff"), "\(turns.suffix(40))")
        withExtendedLifetime((files, calls)) {}
    }
}
