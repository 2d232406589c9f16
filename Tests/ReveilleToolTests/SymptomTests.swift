// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import Testing

@testable import ReveilleTool

/// The answers of `reveille doctor` and the page on troubleshooting, which are one text.
@Suite struct SymptomTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/"

    private func read(_ path: String) throws -> String {
        try #require(FileContents.read(Self.root + path, limit: 1 << 20).text)
    }

    /// Returns a text as a terminal shows it: without marks and the addresses of links, on one line.
    private func plain(_ text: some StringProtocol) -> String {
        String(text).replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.output.1 }.filter { $0 != "*" && $0 != "`" }
            .split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }

    private func sections() throws -> [(heading: String, text: String)] {
        try read(Symptom.source).split(separator: "\n## ").dropFirst().map { section in
            (String(section.prefix { $0 != "\n" }), plain(section.drop { $0 != "\n" }))
        }
    }

    @Test("each symptom is a section of the page, and each answer a sentence of its section, word for word")
    func answersAreThoseOfThePage() throws {
        let sections = try sections()
        #expect(sections.map(\.heading) == Symptom.allCases.map(\.rawValue) + ["The program ends with an error"])
        for (symptom, section) in zip(Symptom.allCases, sections) {
            for answer in symptom.answers { #expect(section.text.contains(plain(answer)), "\(answer)") }
            #expect(symptom.section.allSatisfy { $0.isLowercase || $0 == "-" })
        }
        #expect(Symptom.allCases.filter(\.answers.isEmpty) == [.wrongCounts])
    }

    @Test("the page is where the packages install it") func pageIsInstalled() throws {
        let stage = try read("Scripts/packaging/stage")
        #expect(stage.contains(#"cp -R Docs/{Guide,Reference,Satellites} "$root/guides""#))
        let installed = try read("Scripts/packaging/debian/reveille.docs")
        #expect(installed.split(separator: "\n").contains("guides/*"))
        #expect(Symptom.installed == "/usr/share/doc/reveille" + Symptom.source.dropFirst("Docs".count))
    }
}
