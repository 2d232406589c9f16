// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

/// What a release requires of the tree, and the text of its page.
///
/// `Scripts/release` checks what it makes itself.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ReleaseTests {
    private let directory: TemporaryDirectory
    private static let commit =
        "git -c user.name=test -c user.email=test@localhost commit --quiet --all --message change"

    /// Makes a repository with what a release reads of the tree, which is ready for version 1.2.3.
    init() throws {
        directory = try TemporaryDirectory()
        let files = [
            "Scripts/release": try Package.text("Scripts/release"),
            "Sources/Reveille/Device+Version.swift": "    public static let libraryVersion = \"1.2.3\"\n",
            "Sources/Clients/Node/package.json": "{\n  \"version\": \"1.2.3\",\n}\n",
            "Docs/CHANGELOG.md": "## [1.2.3] - 2030-01-02\n\n## [1.2.2] - Unreleased\n",
        ]
        for (path, text) in files { try directory.write(text, to: "tree/" + path) }
        #expect(try inTree("git init --quiet && git add . && \(Self.commit)").code == 0)
    }

    private func inTree(_ commands: String) throws -> ProgramRun {
        try ProgramRun(["-euc", "cd \(directory.path)/tree; " + commands], program: "sh", in: directory)
    }

    private func release(_ arguments: String) throws -> ProgramRun {
        // What is left out needs root.
        try inTree("exec bash Scripts/release --without arm64 --without source " + arguments)
    }

    @Test func releaseThatIsOnlyCheckedChangesNothing() throws {
        let run = try release("--check --tag 1.2.3")
        #expect(run.code == 0 && run.output == "release: the tree is ready for 1.2.3\n", "\(run.errors)")
        #expect(try inTree("git tag; git status --porcelain --ignored").output == "")
    }

    @Test(
        "a release names what the tree lacks",
        arguments: [
            ("echo >>Docs/CHANGELOG.md", "the tree has changes that are not committed, such as Docs/CHANGELOG.md"),
            ("touch new", "the tree has changes that are not committed, such as new"),
            (
                "sed -i s/1.2.3/1.2.2/ Sources/*/*.swift; \(commit)",
                "Sources/Reveille/Device+Version.swift has the version '1.2.2', not 1.2.3"
            ),
            (
                "sed -i s/1.2.3/1.2.2/ Sources/*/*/package.json; \(commit)",
                "Sources/Clients/Node/package.json has the version '1.2.2', not 1.2.3"
            ),
            (
                "sed -i 's/1.2.3. - .*/1.2.3] - Unreleased/' Docs/CHANGELOG.md; \(commit)",
                "Docs/CHANGELOG.md has no section '## [1.2.3] - YYYY-MM-DD'"
            ),
            ("git tag 1.2.3", "the tag 1.2.3 exists"),
        ])
    func lackingTreeIsNamed(change: String, problem: String) throws {
        #expect(try inTree(change).code == 0)
        let run = try release("--tag 1.2.3")
        #expect(run.code == 1 && run.errors == "release: \(problem)\n", "\(run.output)\(run.errors)")
    }

    @Test("all that is lacking is named at once") func everythingIsNamed() throws {
        let run = try release("4.5.6")
        #expect(run.code == 1 && run.errors.split(separator: "\n").count == 3, "\(run.errors)")
    }

    @Test(
        "what is not a version is refused",
        arguments: ["", "reveille", "v1.2.3", "1.2", "1.2.3 1.2.3", "--without tag 1.2.3"])
    func strangeVersionIsRefused(arguments: String) throws {
        let run = try release(arguments)
        #expect(run.code == 64 && run.errors.contains("usage: Scripts/release"), "\(run.errors)")
    }

    /// Packages of the other architecture, whose programs are not started.
    @Test("the archive for other systems has one place for everything, and says what it needs")
    func archiveSaysWhatItNeeds() throws {
        let files = try inTree(
            #"""
            case $(dpkg --print-architecture) in arm64) arch=amd64 ;; *) arch=arm64 ;; esac
            mkdir -p packages root/DEBIAN root/lib/systemd/system root/usr/bin root/usr/lib/other/reveille \
                root/usr/lib/python3/dist-packages/reveille root/usr/share/lintian/overrides
            printf 'Package: reveille\nVersion: 1.2.3-1~x\nArchitecture: %s\nMaintainer: none\nDescription: x\n' $arch >root/DEBIAN/control
            cp /bin/true root/usr/bin/reveille
            cp /bin/true root/usr/lib/other/reveille/libreveille.so
            cp "$(command -v openssl)" root/usr/bin/reveille-fleet
            echo ExecStart=/usr/bin/reveille >root/lib/systemd/system/reveille.service
            dpkg-deb --build root packages/reveille_1.2.3-1~x_$arch.deb >made
            sed s/reveille/node-reveille/ root/DEBIAN/control >control
            rm -r root/lib root/usr/*
            mv control root/DEBIAN
            dpkg-deb --build root packages/node-reveille_1.2.3-1~x_all.deb >made
            \#(Package.root)/Scripts/packaging/tarball packages $arch >made
            tar -xf packages/reveille-1.2.3-$arch.tar.xz
            cd reveille-1.2.3-$arch
            find . -type f | sort
            cat lib/systemd/system/reveille.service README
            """#)
        #expect(files.code == 0, "\(files.errors)")
        #expect(
            files.output.hasPrefix(
                """
                ./LICENSE
                ./README
                ./bin/reveille
                ./bin/reveille-fleet
                ./lib/other/reveille/libreveille.so
                ./lib/systemd/system/reveille.service
                ExecStart=/usr/local/bin/reveille
                Reveille 1.2.3 for
                """), "\(files.output)")
        let fleet = try #require(files.output.split(separator: "\n").first { $0.contains("reveille-fleet also needs") })
        #expect(fleet.contains("libssl.so") && !fleet.contains("libc.so"))
        #expect(files.output.contains(#/Linux, and glibc 2\.\d+ or later/#))
    }

    @Test func pageHasEachFileOnceAndRefusesAStrangeOne() throws {
        let names = [
            "reveille_1.2.3-1_amd64.deb", "reveille_1.2.3-1_arm64.deb", "node-reveille_1.2.3-1_all.deb",
            "reveille-1.2.3-amd64.tar.xz", "reveille_1.2.3-1.dsc", "reveille_1.2.3.orig.tar.xz",
            "reveille_1.2.3.orig-dependencies.tar.xz", "reveille_1.2.3-1.debian.tar.xz",
            "reveille-1.2.3-documentation.tar.xz",
        ]
        for name in names + ["SHA256SUMS"] {
            try directory.write(String(repeating: "x", count: 2500), to: "files/" + name)
        }
        func page() throws -> ProgramRun {
            try ProgramRun(
                ["1.2.3", directory.path + "/files"], program: Package.root + "/Scripts/packaging/page", in: directory)
        }
        let rows = try page().output.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == names.count)
        for name in names { #expect(rows.contains { $0.hasPrefix("| `\(name)` | 2 kB | ") }, "\(name)") }
        #expect(rows.contains { $0.hasSuffix(" | client of the notification bus Reveille for Node |") })
        try directory.write("", to: "files/reveille_1.2.2-1_amd64.rpm")
        let run = try page()
        #expect(run.code == 1 && run.errors == "page: no part of the page has reveille_1.2.2-1_amd64.rpm\n")
    }
}
