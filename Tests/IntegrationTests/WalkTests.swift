// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Testing

/// The walks through the code in Docs/Architecture.md.
@Suite(.blocking) struct WalkTests {
    /// Returns the title and the files of each walk.
    private static func walks() throws -> [(title: Substring, files: [String])] {
        let text = try Package.text("Docs/Architecture.md")
        let section = try #require(text.split(separator: "\n## Walks\n").last)
        return section.split(separator: "\n### ").dropFirst().map { walk in
            let lines = walk.split(separator: "\n")
            return (lines[0], lines.compactMap { $0.firstMatch(of: /^\d+\. `([^`]+)`/).map { String($0.1) } })
        }
    }

    @Test func walksVisitExistingFilesOnce() throws {
        let walks = try Self.walks()
        #expect(walks.count == 5)
        for (title, files) in walks {
            #expect(files.count > 5, "\(title)")
            #expect(Set(files).count == files.count, "\(title) returns to a file")
            for file in files {
                #expect(access("\(Package.root)/\(file)", R_OK) == 0, "\(title): \(file) does not exist")
            }
        }
    }
}
