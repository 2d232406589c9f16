// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import ReveilleWatchers
import Testing

/// Reads of attributes on a thread of their own.
@Suite(.timeLimit(.minutes(1))) struct SamplerTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func attributesComeBackInOrderOnTheLoop() throws {
        let loop = try EventLoop()
        let sampler = try Sampler(loop: loop)
        try directory.write("1\n", to: "x")
        try directory.write("-3\n", to: "z")
        let paths = ["x", "missing", "z"].map { directory.path + "/" + $0 }
        var results: [[SysfsAttribute]] = []
        for _ in 0..<3 {
            sampler.read(paths) { attributes in
                results.append(attributes)
                if results.count == 3 { loop.exit() }
            }
        }
        #expect(results.isEmpty, "nothing comes back before the call returns")
        try loop.run()
        #expect(results == Array(repeating: [.text("1\n"), .missing, .text("-3\n")], count: 3))
    }

    @Test func directoryInAnAttributesPlaceIsAnError() {
        guard case .failed(let error) = SysfsAttribute.read(directory.path) else {
            Issue.record("a directory was read")
            return
        }
        #expect(error.code == EISDIR)
    }
}
