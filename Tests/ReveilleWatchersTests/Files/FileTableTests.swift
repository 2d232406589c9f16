// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleWatchers

/// The limits of a table of files, and the number of files read in one turn.
@Suite struct FileTableTests {
    private static let start = Instant(microseconds: 1_000_000)
    private static let later = Instant(microseconds: 2_000_000)

    private func table(_ scene: Scene) -> FileTable<Int> {
        scene.makeDirectory("/d")
        let format = FileFormat<Int>(
            sizeLimit: { _ in 100 }, membership: { _ in .yes }, parse: { _, _, bytes, _ in bytes.count })
        let timing = FileSettling.Timing(readDelay: .zero, deletionGrace: .zero)
        var table = FileTable(paths: ["/d"], root: scene.root, timing: timing, format: format)
        _ = table.readAll(at: Self.start)
        return table
    }

    @Test func filesCreatedLaterCountTowardsTheDirectoryLimit() throws {
        let scene = try Scene()
        var table = table(scene)
        var warnings: [String] = []
        for index in 0..<DirectoryListing.limit + 5 {
            warnings += table.notice(.finished, of: "f\(index)", in: "/d", at: Self.start).warnings
        }
        #expect(table.entries.count == DirectoryListing.limit + 1)
        #expect(warnings == ["/d: has more than 10000 files; the others are ignored"])
        // None of the files exists, so their entries are removed.
        _ = table.readDue(at: Self.later)
        #expect(table.entries.count == 1)
        #expect(table.notice(.finished, of: "g", in: "/d", at: Self.later).appeared == ["/d/g"])
    }

    @Test func filesInTheFoldersOfProgramsCountTowardsOneLimit() throws {
        let scene = try Scene()
        let folders = DirectoryListing.limit / FileTable<Int>.programLimit + 1
        for folder in 0..<folders {
            scene.makeDirectory("/d/p\(folder)")
            for file in 0..<FileTable<Int>.programLimit { scene.write("/d/p\(folder)/f\(file)", "") }
        }
        let format = FileFormat<Int>(
            sizeLimit: { _ in 100 }, membership: { _ in .yes }, parse: { _, _, bytes, _ in bytes.count })
        let timing = FileSettling.Timing(readDelay: .zero, deletionGrace: .zero)
        var table = FileTable(paths: ["/d/*"], root: scene.root, timing: timing, format: format)
        let warnings = table.readAll(at: Self.start).warnings
        #expect(table.entries.count == DirectoryListing.limit + 1)
        #expect(warnings == ["/d: has more than 10000 files; the others are ignored"])
    }

    @Test func namesThatDifferInTheirUnicodeNormalizationAreTwoFiles() throws {
        let scene = try Scene()
        var table = table(scene)
        for name in ["\u{e9}", "e\u{301}"] {
            scene.write("/d/" + name, String(repeating: "a", count: name.utf8.count))
            _ = table.notice(.finished, of: name, in: "/d", at: Self.start)
        }
        _ = table.readDue(at: Self.later)
        #expect(table.entries.values.compactMap(\.value).sorted() == [2, 3])
    }

    @Test func dueFilesAreReadInTurns() throws {
        let scene = try Scene()
        var table = table(scene)
        for index in 0..<3 {
            scene.write("/d/f\(index)", "ab")
            _ = table.notice(.finished, of: "f\(index)", in: "/d", at: Self.start)
        }
        var due = table.due(by: Self.later)
        for read in 1...3 {
            _ = table.read(&due, by: Self.later, at: Self.later) { false }
            #expect(due.count == 3 - read)
            #expect(table.entries.values.count { $0.value == 2 } == read)
        }
    }

    @Test("a file with more combining marks in its name than a message may have is ignored, also after an event")
    func namesThatNoMessageCanCarryAreIgnored() throws {
        let scene = try Scene()
        var table = table(scene)
        let name = "e" + String(repeating: "\u{301}", count: 31)
        scene.write("/d/\(name)", "ab")
        scene.write("/d/a", "ab")
        for name in [name, "a"] { _ = table.notice(.finished, of: name, in: "/d", at: Self.start) }
        _ = table.readDue(at: Self.later)
        #expect(table.entries.values.count { $0.value == 2 } == 1)
        let warnings = table.readAll(at: Self.later).warnings
        #expect(
            warnings == ["/d: has files whose names have more than 30 combining marks in a row (1); they are ignored"])
    }
}

extension FileTable {
    /// Reads all files that are due now.
    mutating func readDue(at now: Instant) -> Effects {
        var due = due(by: now)
        return read(&due, by: now, at: now) { true }
    }
}
