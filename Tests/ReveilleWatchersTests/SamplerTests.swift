// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleWatchers
import Testing

/// Reads of attributes on a thread of their own.
@Suite(.timeLimit(.minutes(1))) struct SamplerTests {
    private let directory = String(cString: mkdtemp(strdup("/tmp/reveille-sampler-XXXXXX")))

    private func write(_ name: String, _ text: String) -> String {
        let path = directory + "/" + name
        let stream = fopen(path, "w")
        fputs(text, stream)
        if let stream { fclose(stream) }
        return path
    }

    @Test func attributesComeBackInOrderOnTheLoop() throws {
        let loop = try EventLoop()
        let sampler = try Sampler(loop: loop)
        let paths = [write("x", "1\n"), directory + "/missing", write("z", "-3\n")]
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
        guard case .failed(let error) = SysfsAttribute.read(directory) else {
            Issue.record("a directory was read")
            return
        }
        #expect(error.code == EISDIR)
    }
}
