// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// The Swift code in the documentation: every block compiles, and the package in the article on testing runs.
@Suite(.blocking, .timeLimit(.minutes(10))) struct DocumentCodeTests {
    private static let testing = "Sources/ReveilleTesting/ReveilleTesting.docc/Testing.md"

    private static var documents: [String] {
        get throws {
            let catalogs = ["Sources/Reveille/Reveille.docc", "Sources/ReveilleTesting/ReveilleTesting.docc"]
            // Doc comments contain code too.
            let sources = [
                "Sources/Reveille", "Sources/Reveille/Delivery", "Sources/Reveille/Scheduling", "Sources/ReveilleLocal",
                "Sources/ReveilleTesting",
            ]
            return try ["README.md", "Docs/Satellites/Location.md"]
                + (["Docs/Guide"] + catalogs + sources).flatMap { directory in
                    try DirectoryListing.files(in: "\(Package.root)/\(directory)").sorted()
                        .filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }.map { "\(directory)/\($0)" }
                }
        }
    }

    /// Returns the Swift blocks of a document or of a file's doc comments.
    private static func blocks(of document: String) throws -> [String] {
        var blocks: [String] = []
        var isInside = false
        for line in try Package.text(document).split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            let isComment = text.hasPrefix("///")
            if document.hasSuffix(".swift"), !isComment { continue }
            let content = isComment ? text.dropFirst(3).trimmingPrefix(" ") : line
            if content == "```swift" {
                blocks.append("")
                isInside = true
            } else if content == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1] += content + "\n"
            }
        }
        return blocks
    }

    /// Returns a program of functions, one for each fragment, with the variables of all fragments as parameters.
    private static func program(of fragments: [(document: String, block: String)]) -> String {
        let parts = fragments.enumerated().map { index, fragment in
            """
            @MainActor func part\(index)(
                _ device: Device, _ subscription: Subscription, _ phone: SyntheticPhone, _ bus: PhoneBus
            ) async throws {
            #sourceLocation(file: "\(fragment.document), fragment \(index)", line: 1)
            \(fragment.block)
            #sourceLocation()
            }
            """
        }
        let modules = ["FoundationEssentials", "Reveille", "ReveilleLocal", "ReveilleTesting"]
        return (modules.map { "import " + $0 } + parts).joined(separator: "\n")
    }

    @Test func everySwiftBlockCompiles() throws {
        let blocks = try Self.documents.flatMap { document in
            try Self.blocks(of: document).map { (document: document, block: $0) }
        }
        #expect(blocks.count > 10)
        let programs = blocks.filter { $0.block.contains("import Reveille") }
        for (document, block) in programs { try compile(block, document) }
        let fragments = blocks.filter { !$0.block.contains("import Reveille") }
        try compile(Self.program(of: fragments), "the fragments")
    }

    private func compile(_ program: String, _ document: String) throws {
        let run = try SwiftCompiler.check(program)
        #expect(run.code == 0, "\(document): \(run.errors)\n\(program)")
        // An example may make what it does not use.
        let warnings = run.errors.split(separator: "\n").filter {
            $0.contains("warning: ") && !$0.contains(" was never used")
        }
        #expect(warnings.isEmpty, "\(document): \(warnings)")
    }

    @Test(.enabled(if: getenv("CI") != nil, "builds the library again, as continuous integration does"))
    func externalPackageSubscribesSleepsAndWakes() throws {
        let directory = try TemporaryDirectory()
        let code = try #require(Self.blocks(of: Self.testing).first)
        #expect(code.split(separator: "\n").count < 40)
        try directory.write(code, to: "Sources/Outside/main.swift")
        for name in OutsideTests.programs {
            try directory.write(OutsideTests.text(name), to: "Sources/\(name)/main.swift")
        }
        let programs = OutsideTests.programs.map {
            #".executableTarget(name: "\#($0)", dependencies: [.product(name: "Reveille", package: "reveille")]),"#
        }
        try directory.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "Outside",
                dependencies: [.package(name: "reveille", path: "\(Package.root)")],
                targets: [
                    \(programs.joined(separator: " "))
                    .executableTarget(
                        name: "Outside",
                        dependencies: [
                            .product(name: "Reveille", package: "reveille"),
                            .product(name: "ReveilleTesting", package: "reveille"),
                        ])
                ])
            """, to: "Package.swift")
        let scratch = Package.root + "/.build-outside"
        // The tests themselves are built with satellites.
        let command = ["swift", "build", "--package-path", directory.path, "--scratch-path", scratch]
        let build = try ProgramRun(["-u", "REVEILLE_SATELLITES"] + command, program: "env", in: directory)
        #expect(build.code == 0, "\(build.output)\(build.errors)")
        #expect(!(build.output + build.errors).contains("libmosquitto"), "no satellite is built")
        let run = try ProgramRun([], program: scratch + "/debug/Outside", in: directory)
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "one event for each aspect\n")
        try expectLibcAlone(scratch + "/debug/Client", in: directory)
    }

    /// Checks that a client of a bus links no library of the system but libc and those that Swift itself links.
    private func expectLibcAlone(_ program: String, in directory: TemporaryDirectory) throws {
        let linked = try ProgramRun([program], program: "ldd", in: directory)
        #expect(linked.code == 0, "\(linked.errors)")
        let libraries = linked.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
        for library in ["libudev", "libsystemd", "libumockdev"] {
            #expect(!libraries.contains { $0.contains(library) }, "\(library)")
        }
        let run = try ProgramRun([], program: program, in: directory)
        #expect(run.code == 0 && !run.output.isEmpty, "\(run.errors)")
    }
}
