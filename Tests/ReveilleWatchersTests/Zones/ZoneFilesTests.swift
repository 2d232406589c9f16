// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWatchers
import Testing

@Suite(.timeLimit(.minutes(10))) struct ZoneFilesTests {
    private let scene: Scene
    private let files: ZoneFiles
    private let record = Record()

    private final class Record {
        var changed: [String] = []
        var warnings: [String] = []
    }

    init() throws {
        scene = try Scene()
        for directory in ["/etc", "/zoneinfo/Europe", "/zoneinfo/Asia"] { scene.makeDirectory(directory) }
        scene.write("/zoneinfo/Europe/Berlin", Self.file("CET-1"))
        scene.write("/zoneinfo/Asia/Kathmandu", Self.file("<+0545>-5:45"))
        scene.link("/etc/localtime", to: "../zoneinfo/Europe/Berlin")
        let locations = ZoneLocations(root: scene.root, database: scene.at("/zoneinfo"))
        files = ZoneFiles(loop: scene.loop, locations: locations) { [record, root = scene.root] in
            record.warnings.append($0.replacing(root, with: ""))
        }
        files.changed = { [record] in record.changed.append($0) }
    }

    private static func file(_ footer: String) -> [UInt8] {
        let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
        let table =
            Array("TZif2".utf8) + Array(repeating: 0, count: 15) + counts + [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
        return table + table + Array("\n\(footer)\n".utf8)
    }

    private func offset(_ name: String) -> Int? {
        (try? files.rules(of: name))?.offset(at: 0)
    }

    /// Returns why a zone has no rules.
    private func reason(_ name: String) -> String? {
        do throws(ZoneError) {
            _ = try files.rules(of: name)
            return nil
        } catch {
            return error.description.replacing(scene.root, with: "")
        }
    }

    private func changes(_ does: String, of zones: [String], _ action: @escaping () -> Void) {
        scene.step(
            does,
            {
                record.changed = []
                action()
            }, until: { record.changed == zones })
    }

    private func warns(_ does: String, _ warning: String, _ action: @escaping () -> Void) {
        scene.step(
            does,
            {
                record.warnings = []
                action()
            }, until: { record.warnings == [warning] })
    }

    private func check(_ does: String, _ action: @escaping () -> Void) {
        scene.step(does, action, until: { true })
    }

    @Test("B122 the device's zone is read anew when its link is replaced or its file is written")
    func deviceZoneIsReadAnew() throws {
        #expect(offset("local") == 3_600)
        changes("replace the link", of: ["local"]) { scene.link("/etc/localtime", to: "../zoneinfo/Asia/Kathmandu") }
        check("the rules are new") { #expect(offset("local") == 20_700) }
        changes("write the file", of: ["local"]) { scene.write("/zoneinfo/Asia/Kathmandu", Self.file("<+06>-6")) }
        check("the rules are new") { #expect(offset("local") == 21_600) }
        changes("put a file in the place of the link", of: ["local"]) {
            scene.write("/etc/new", Self.file("EET-2"))
            scene.move("/etc/new", "/etc/localtime")
        }
        check("the rules are new") { #expect(offset("local") == 7_200) }
        changes("remove the file", of: ["local"]) { scene.remove("/etc/localtime") }
        check("without a file, the zone is UTC") { #expect(offset("local") == 0) }
        changes("create the link again", of: ["local"]) {
            scene.link("/etc/localtime", to: "../zoneinfo/Europe/Berlin")
        }
        try scene.play()
        #expect(record.warnings == [])
    }

    @Test("a link that leads nowhere keeps the last rules") func brokenLinkKeepsTheRules() throws {
        #expect(offset("local") == 3_600)
        warns(
            "break the link", "time zone local: /etc/localtime is a link to a missing file; its last rules remain"
        ) { scene.link("/etc/localtime", to: "../zoneinfo/Europe/Nowhere") }
        check("the rules are the last ones") { #expect(offset("local") == 3_600) }
        changes("mend the link", of: ["local"]) { scene.write("/zoneinfo/Europe/Nowhere", Self.file("WET0")) }
        try scene.play()
    }

    @Test("a file that is cut or vanishes keeps its last rules, and is read when it is whole")
    func damagedFilesKeepTheirRules() throws {
        let name = "Asia/Kathmandu"
        #expect(offset(name) == 20_700)
        warns(
            "cut the file", "time zone \(name): /zoneinfo/\(name) ends in a header; its last rules remain"
        ) { scene.write("/zoneinfo/\(name)", Array(Self.file("<+06>-6").prefix(30))) }
        check("the rules are the last ones") { #expect(offset(name) == 20_700) }
        warns("remove the file", "time zone \(name): /zoneinfo/\(name) does not exist; its last rules remain") {
            scene.remove("/zoneinfo/\(name)")
        }
        check("the rules are the last ones") { #expect(offset(name) == 20_700) }
        changes("write the whole file", of: [name]) { scene.write("/zoneinfo/\(name)", Self.file("<+06>-6")) }
        check("the rules are new") { #expect(offset(name) == 21_600) }
        try scene.play()
        #expect(record.warnings.count == 1)
    }

    @Test("all zones that changed are reported once when the database is replaced") func databaseIsReplaced() throws {
        for name in ["Europe/Berlin", "Asia/Kathmandu", "local"] { #expect(offset(name) != nil) }
        changes("replace the directory", of: ["Europe/Berlin", "local"]) {
            scene.makeDirectory("/new/Europe")
            scene.makeDirectory("/new/Asia")
            scene.write("/new/Europe/Berlin", Self.file("CET-2"))
            scene.write("/new/Asia/Kathmandu", Self.file("<+0545>-5:45"))
            scene.move("/zoneinfo", "/old")
            scene.move("/new", "/zoneinfo")
        }
        try scene.play()
    }

    @Test("a zone that does not exist is reported when it appears, if it is waited for") func missingZoneAppears()
        throws
    {
        #expect(reason("Europe/Atlantis") == "/zoneinfo/Europe/Atlantis does not exist")
        warns("wait for the zone", "time zone Europe/Atlantis: /zoneinfo/Europe/Atlantis does not exist") {
            files.wait(for: "Europe/Atlantis")
        }
        changes("create the zone", of: ["Europe/Atlantis"]) {
            scene.write("/zoneinfo/Europe/Atlantis", Self.file("AAA-4"))
        }
        check("it has rules") { #expect(offset("Europe/Atlantis") == 14_400) }
        try scene.play()
    }

    @Test("nothing is reported after the end of all watches") func watchesEnd() throws {
        #expect(offset("Europe/Berlin") == 3_600)
        files.stop()
        let other = ZoneFiles(
            loop: scene.loop, locations: ZoneLocations(root: "", database: scene.at("/zoneinfo")), warn: { _ in })
        var isOver = false
        other.changed = { _ in isOver = true }
        _ = try other.rules(of: "Europe/Berlin")
        scene.step("write", { scene.write("/zoneinfo/Europe/Berlin", Self.file("CET-3")) }, until: { isOver })
        check("it is read again") { #expect(offset("Europe/Berlin") == 10_800) }
        try scene.play()
        #expect(record.changed == [])
    }

    @Test("a name that leads out of the database is refused")
    func namesStayInTheDatabase() {
        scene.write("/secret", Self.file("AAA0"))
        for name in [
            "../secret", "/secret", "Europe/../../secret", "", "Europe/", "./Asia/Kathmandu", "a\0b", "ü", "a b",
        ] {
            #expect(reason(name) == "not a name of the tz database", "\(name)")
        }
        #expect(reason(String(repeating: "a", count: 256)) != nil)
        #expect(reason("Europe") == "/zoneinfo/Europe is not a regular file")
    }

    @Test("without a database, the reason names its package; UTC needs none") func databaseMayBeMissing() throws {
        let files = ZoneFiles(
            loop: scene.loop, locations: ZoneLocations(root: scene.root, database: scene.at("/none")), warn: { _ in })
        #expect(throws: ZoneError("\(scene.root)/none does not exist; install the package tzdata")) {
            try files.rules(of: "Europe/Berlin")
        }
        #expect(try files.rules(of: "UTC") == .utc)
        #expect(ZoneLocations(root: "", database: "relative").database == "/usr/share/zoneinfo")
    }
}
