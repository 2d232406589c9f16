// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct PathWatchTests {
    private final class Notices {
        var all: [PathWatch.Notice] = []

        func take() -> [PathWatch.Notice] {
            defer { all = [] }
            return all
        }
    }

    private let scene: Scene
    private let notices = Notices()

    init() throws {
        scene = try Scene()
        scene.makeDirectory("/a/b")
    }

    private func makeWatch() throws -> PathWatch {
        try PathWatch(loop: scene.loop, root: scene.root) { [notices] in notices.all.append($0) }
    }

    /// Performs an action and compares its notices; the removal of a last file marks their end.
    private func expect(_ expected: [PathWatch.Notice], of does: String, _ action: @escaping () -> Void) {
        let end = PathWatch.Notice.path("/a/b/end", .removed)
        scene.step(
            does,
            {
                notices.all = []
                action()
                scene.write("/a/b/end", "")
                scene.remove("/a/b/end")
            }, until: { notices.all.contains(end) })
        scene.step(
            does,
            {
                let rest: Set<PathWatch.Notice> = [
                    end, .path("/a/b/end", .finished), .path("/a/b/end", .written),
                ]
                #expect(notices.take().filter { !rest.contains($0) } == expected, "\(does)")
            }, until: { true })
    }

    @Test func changesOfAFileAreNoticed() throws {
        let watch = try makeWatch()
        watch.add("/a/b/end")
        watch.add("/a/b/f")
        expect([.path("/a/b/f", .finished), .path("/a/b/f", .written), .path("/a/b/f", .finished)], of: "write") {
            scene.write("/a/b/f", "x")
        }
        expect([.path("/a/b/f", .finished)], of: "replace") { scene.replace("/a/b/f", "y") }
        expect([.path("/a/b/f", .touched)], of: "touch") { scene.touch("/a/b/f") }
        expect([], of: "another") { scene.write("/a/b/g", "x") }
        expect([.path("/a/b/f", .removed)], of: "move away") { scene.move("/a/b/f", "/a/b/h") }
        expect([.path("/a/b/f", .finished)], of: "move back") { scene.move("/a/b/h", "/a/b/f") }
        expect([.path("/a/b/f", .touched), .path("/a/b/f", .removed)], of: "unlink, which changes the link count too") {
            scene.changeMode("/a/b/f", 0o600)
            scene.remove("/a/b/f")
        }
        try scene.play()
    }

    @Test func namesInAWatchedDirectoryAreNoticed() throws {
        let watch = try makeWatch()
        watch.add("/a/b/end")
        watch.add("/a/d")
        expect([.path("/a/d", .finished)], of: "the directory") { scene.makeDirectory("/a/d") }
        expect(
            [
                .entry(directory: "/a/d", name: "f", .finished), .entry(directory: "/a/d", name: "f", .written),
                .entry(directory: "/a/d", name: "f", .finished),
            ], of: "a file"
        ) { scene.write("/a/d/f", "x") }
        scene.step("remove", { watch.remove("/a/d") }, until: { true })
        expect([], of: "a file in an unwatched directory") { scene.write("/a/d/f", "x") }
        try scene.play()
    }

    @Test func manyPathsShareADirectory() throws {
        let watch = try makeWatch()
        watch.add("/a/b/end")
        for index in 0..<200 { watch.add("/a/b/f\(index)") }
        watch.remove("/a/b/f7")
        expect([.path("/a/b/f8", .finished)], of: "replace") {
            scene.replace("/a/b/f7", "x")
            scene.replace("/a/b/f8", "x")
        }
        try scene.play()
    }
}
