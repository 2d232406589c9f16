// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import Testing

@Suite struct FileContentsTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 100_000])
    func fileIsReadCompletely(size: Int) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        scene.write("/f", bytes)
        #expect(FileContents.read(scene.at("/f"), limit: 100_000) == .bytes(bytes))
        scene.link("/l", to: "f")
        #expect(FileContents.read(scene.at("/l"), limit: size) == .bytes(bytes))
    }

    @Test func fileOverTheLimitIsNotRead() {
        scene.write("/f", "12345")
        guard case .tooLarge(limit: 4, let version) = FileContents.read(scene.at("/f"), limit: 4) else {
            Issue.record("it was read")
            return
        }
        #expect(version.size == 5 && version.modified > 0)
        // These files have no size and no end.
        guard case .tooLarge(limit: 10, _) = FileContents.read("/proc/self/maps", limit: 10) else {
            Issue.record("it was read")
            return
        }
        #expect(FileContents.read("/dev/zero", limit: 10) == .notAFile)
    }

    @Test func onlyRegularFilesAreOpened() {
        #expect(mkfifo(scene.at("/pipe"), 0o600) == 0)
        scene.makeDirectory("/d")
        for path in ["/pipe", "/d", "/d/"] {
            #expect(FileContents.read(scene.at(path), limit: 10) == .notAFile, "\(path)")
        }
    }

    @Test func missingFileIsNotAnError() {
        scene.write("/f", "")
        scene.link("/dangling", to: "nothing")
        for path in ["/nothing", "/f/x", "/no/thing", "/dangling"] {
            #expect(FileContents.read(scene.at(path), limit: 10) == .missing, "\(path)")
        }
    }

    @Test func loopOfLinksIsAnErrorThatNamesThePath() {
        scene.link("/l", to: "l")
        let error = SystemError("stat", on: scene.at("/l"), code: ELOOP)
        #expect(FileContents.read(scene.at("/l"), limit: 10) == .unreadable(error))
    }

    @Test(.enabled(if: geteuid() != 0, "root can read any file"))
    func unreadableFileIsAnErrorThatNamesThePath() {
        scene.write("/f", "")
        scene.changeMode("/f", 0)
        let error = SystemError("open", on: scene.at("/f"), code: EACCES)
        #expect(FileContents.read(scene.at("/f"), limit: 10) == .unreadable(error))
    }
}
