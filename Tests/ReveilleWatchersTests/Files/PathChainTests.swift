// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import Testing

@Suite struct PathChainTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        scene.makeDirectory("/a/b")
        scene.write("/a/b/f", "")
    }

    private func follow(_ path: String) -> PathChain {
        PathChain(following: path, root: scene.root)
    }

    /// Returns the lookups below the scene's root, such as `/a b` for b in /a.
    private func lookups(_ chain: PathChain) -> [String] {
        let depth = scene.root.split(separator: "/").count
        return chain.steps.dropFirst(depth).map { "\($0.directory.dropFirst(scene.root.count))/ \($0.name)" }
    }

    @Test func everyNameInThePathIsALookup() {
        let chain = follow("//a/./b//f")
        #expect(lookups(chain) == ["/ a", "/a/ b", "/a/b/ f"])
        #expect(chain.steps.suffix(3).map(\.kind) == [.directory, .directory, .file])
        #expect(chain.end == .file(scene.at("/a/b/f")))
        #expect(follow("/a/b/").end == .directory(scene.at("/a/b")))
        #expect(follow("/").end == .directory(scene.root))
    }

    @Test func linksAreFollowedStepByStep() {
        scene.link("/l", to: "a/m")
        scene.link("/a/m", to: "../a/b")
        let chain = follow("/l/f")
        #expect(lookups(chain) == ["/ l", "/ a", "/a/ m", "/ a", "/a/ b", "/a/b/ f"])
        #expect(chain.end == .file(scene.at("/a/b/f")))
    }

    @Test func rootIsNotLeft() {
        scene.link("/a/absolute", to: "/a/b/f")
        scene.link("/a/up", to: "../../../../../../../../../../../../a/b/f")
        #expect(follow("/a/absolute").end == .file(scene.at("/a/b/f")))
        #expect(follow("/a/up").end == .file(scene.at("/a/b/f")))
        #expect(follow("/../../a").end == .directory(scene.at("/a")))
    }

    @Test(arguments: ["/x", "/a/x/y", "/a/b/f/g", "/a/b/f/g/h"])
    func lookupsEndAtTheFirstMissingName(path: String) {
        #expect(follow(path).end == .missing)
        #expect(follow(path).steps.last?.name != "y")
    }

    @Test func linksUpToTheLimitAreFollowed() {
        scene.link("/l0", to: "a/b/f")
        for index in 1...PathChain.linkLimit { scene.link("/l\(index)", to: "l\(index - 1)") }
        #expect(follow("/l\(PathChain.linkLimit - 1)").end == .file(scene.at("/a/b/f")))
        let path = "/l\(PathChain.linkLimit)"
        #expect(follow(path).end == .refused(SystemError("stat", on: path, code: ELOOP)))
    }

    @Test func missingRootHasNoLookups() {
        #expect(PathChain(following: "/a", root: scene.at("/nothing")).end == .missing)
        #expect(PathChain(following: scene.at("/a"), root: "").end == .directory(scene.at("/a")))
    }
}
