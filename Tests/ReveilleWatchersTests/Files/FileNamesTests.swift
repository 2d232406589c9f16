// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct FileNamesTests {
    /// A skin tone, a joiner and an accent, each of which forms one character with a preceding `/` or `.`.
    private static let combining = ["\u{1F3FB}", "\u{200D}", "\u{301}"]
    /// A name in Latin-1, which is not UTF-8.
    private static let foreign: [UInt8] = [0xE9] + Array(".json".utf8)

    private static func makeFile(_ name: [UInt8], in directory: String) {
        let path = (Array(directory.utf8) + [UInt8(ascii: "/")] + name + [0]).map { CChar(bitPattern: $0) }
        let descriptor = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o644)
        #expect(descriptor >= 0)
        close(descriptor)
    }

    @Test(arguments: combining)
    func slashBeforeACombiningCharacterSeparatesNames(mark: String) throws {
        #expect(ConfiguredPath.name(of: "/a/\(mark)b") == "\(mark)b")
        #expect(ConfiguredPath.expanded("~/\(mark)b//c", home: "/h") == "/h/\(mark)b/c")
        let scene = try Scene()
        scene.makeDirectory("/a")
        #expect(mkdir(scene.at("/a/\(mark)b"), 0o755) == 0)
        scene.write("/a/\(mark)b/\(mark)f", "")
        scene.link("/l", to: "a/\(mark)b/../\(mark)b")
        let chain = PathChain(following: "/l/\(mark)f", root: scene.root)
        #expect(chain.end == .file(scene.at("/a/\(mark)b/\(mark)f")))
    }

    @Test(arguments: combining)
    func fileNamesMayBeginWithACombiningCharacter(mark: String) throws {
        let name = "\(mark)a.\(mark)b"
        let app = try DefaultsScene(paths: ["~/.config", "~/\(mark)c.json"]) { scene in
            scene.write("/home/u/.config/\(name).json", "{\"a\":1}")
            scene.write("/home/u/\(mark)c.json", "{\"c\":1}")
        }
        #expect(app.keys == [name: ["a"], "\(mark)c": ["c"]])
        app.scene.step(
            "change", { app.scene.write("/home/u/\(mark)c.json", "{\"d\":1}") },
            until: { app.keys == [name: ["a"], "\(mark)c": ["d"]] })
        try app.scene.play()
    }

    @Test func fileNamesThatAreNotUTF8AreSkippedAndReportedOnce() throws {
        let app = try DefaultsScene { scene in
            Self.makeFile(Self.foreign, in: scene.at("/home/u/.config"))
            scene.write("/home/u/.config/a.json", "{\"a\":1}")
        }
        #expect(app.keys == ["a": ["a"]])
        let warning = "/home/u/.config: has files whose names are not UTF-8 (1); they are ignored"
        #expect(app.scene.warnings == [warning])
        app.watcher.refresh {}
        app.scene.step(
            "another, and a change",
            {
                Self.makeFile([0xFF] + Self.foreign, in: app.scene.at("/home/u/.config"))
                app.scene.write("/home/u/.config/a.json", "{\"b\":1}")
            }, until: { app.keys == ["a": ["b"]] })
        try app.scene.play()
        #expect(app.scene.warnings == [warning])
    }

    @Test func linkTargetThatIsNotUTF8IsAnError() throws {
        let scene = try Scene()
        let target = Self.foreign.map { CChar(bitPattern: $0) } + [0]
        #expect(symlink(target, scene.at("/l")) == 0)
        let error = SystemError("readlink", on: scene.at("/l"), code: EILSEQ)
        #expect(PathChain(following: "/l", root: scene.root).end == .refused(error))
    }

    @Test func directoryWithTooManyFilesIsReported() throws {
        let app = try DefaultsScene { scene in
            for index in 0...DirectoryListing.limit {
                close(open(scene.at("/home/u/.config/f\(index)"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o644))
            }
        }
        #expect(app.scene.warnings == ["/home/u/.config: has more than 10000 files; the others are ignored"])
    }
}
