// SPDX-License-Identifier: Apache-2.0

import ReveilleFuzz
import ReveilleSystem
import Testing

/// The corpus of the fuzzers, with all properties that they check.
@Suite struct CorpusTests {
    private static let corpus = #filePath.replacing("CorpusTests.swift", with: "Corpus")

    @Test("every file of the corpus satisfies the properties of its target", arguments: FuzzTarget.all)
    func everyFileSatisfiesTheProperties(target: FuzzTarget) throws {
        let directory = "\(Self.corpus)/\(target)"
        let names = try DirectoryListing.files(in: directory)
        #expect(!names.isEmpty, "nothing in \(directory)")
        for name in names {
            guard case .bytes(let bytes) = FileContents.read("\(directory)/\(name)", limit: 1 << 20) else {
                Issue.record("\(name) cannot be read")
                continue
            }
            let violation = target.violation(by: bytes)
            #expect(violation == nil, "\(name)")
        }
    }
}
