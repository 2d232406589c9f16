// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10))) struct ScheduleCommandTests {
    private static let name = "org.example.command"

    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private func entries() throws -> [JSONObject] {
        try bus.client().call("org.reveille.Schedule.List").parameters.objects("entries")
    }

    @Test("the command adds, lists and removes entries, and names a wrong word") func command() throws {
        let added = try bus.run([
            "schedule", "add", "tea", Self.name, "--daily", "7:30", "--zone", "UTC", "--", "make", "green tea", "it's",
        ])
        #expect(added.code == 0)
        #expect(added.output.hasPrefix("tea  next: in "))
        #expect(try bus.run(["schedule", "add", "water", Self.name, "--every", "90m"]).code == 0)
        let list = try bus.run(["schedule", "list"]).output.split(separator: "\n").map { String($0) }
        #expect(list.count == 3)
        #expect(list[1].contains("UTC"))
        #expect(list[1].hasSuffix(#"make 'green tea' 'it'\''s'"#))
        let wrong = try bus.run(["schedule", "add", "x", Self.name, "--daily", "7:00", "--weekday", "mondy"])
        #expect(wrong.code == 64)
        #expect(wrong.errors.contains("did you mean monday?"))
        let several = try bus.run(["schedule", "cancel", "water", "x", "y"])
        #expect(several.errors == "reveille: there is no entry x or y\n")
        #expect(try entries().count == 1)
        let missing = try bus.run(["schedule", "cancel", "te"])
        #expect(missing.code == 1)
        #expect(missing.errors.contains("there is no entry te; did you mean tea?"))
        let cancelled = try bus.run(["schedule", "cancel", "--all"])
        #expect(cancelled.code == 0 && cancelled.output == "" && cancelled.errors == "")
        #expect(try entries().isEmpty)
    }

    @Test(
        "--at is the first of two such times, and the end of a gap",
        arguments: [
            // 02:30 in summer, at 00:30 UTC.
            ("2027-10-31T02:30", 1_824_942_600), ("2027-10-31T03:30", 1_824_949_800),
            // 03:00 in summer, at 01:00 UTC.
            ("2027-03-28T02:30", 1_806_195_600), ("2027-03-28T01:59", 1_806_195_540),
        ])
    func localTime(text: String, seconds: Int64) throws {
        let run = try bus.shell("TZ=Europe/Berlin $R schedule add x \(Self.name) --at \(text)")
        #expect(run.errors == "" && run.code == 0)
        #expect(try entries().map { $0["next"]?.integerValue } == [seconds * 1_000_000])
    }

    @Test("days of the week are given by their names, several of them, or as weekdays and weekend")
    func weekdays() throws {
        for (days, weekday, weekdays) in [
            ("mon", 1, nil), ("sunday,SUN", 7, nil), ("tue,mon", nil, [1, 2]), ("weekdays", nil, [1, 2, 3, 4, 5]),
            ("weekend,fri", nil, [5, 6, 7]),
        ] as [(String, Int64?, [Int64]?)] {
            #expect(try bus.run(["schedule", "add", "x", Self.name, "--weekday", days, "--wake"]).code == 0)
            let entry = try entries().first?["entry"]?.objectValue
            let calendar = try #require(entry?["calendar"]?.objectValue)
            #expect(calendar["weekday"]?.integerValue == weekday)
            #expect(calendar["weekdays"]?.arrayValue?.compactMap(\.integerValue) == weekdays)
            #expect(entry?["wake"] == true)
        }
        for days in ["", ",", "mon,", "mon tue", "weekdas"] {
            let run = try bus.run(["schedule", "add", "y", Self.name, "--weekday", days])
            #expect(run.code == 64 && run.errors.contains("--weekday"), "\(days): \(run.errors)")
        }
        let list = try bus.run(["schedule", "list"]).output
        #expect(list.contains("WAKES") && list.contains(" yes "))
    }

    @Test("--in is a time from now") func delay() throws {
        let before = Int64(time(nil)) * 1_000_000
        #expect(try bus.run(["schedule", "add", "x", Self.name, "--in", "10m"]).code == 0)
        let next = try #require(try entries().first?["next"]?.integerValue)
        #expect((before + 600_000_000...before + 660_000_000).contains(next))
        for wrong in ["10", "m", "-1m", "999999999999999d", "99999999d"] {
            let run = try bus.run(["schedule", "add", "y", Self.name, "--in=\(wrong)"])
            #expect(run.code == 64 && run.errors.contains("--in"), "\(wrong): \(run.errors)")
        }
        let both = try bus.run(["schedule", "add", "y", Self.name, "--in", "1m", "--at", "18:00"])
        #expect(both.code == 64 && both.errors.contains("--in cannot be combined with --at"))
    }

    @Test(
        "an error names the option that is wrong",
        arguments: [
            (["--inn", "10m"], "Unknown option '--inn'"),
            (["--dayly=7:30"], "Unknown option '--dayly'. Did you mean '--daily'?"),
            (["--foo"], "Unknown option '--foo'"),
            ([], "missing time: --in, --at, --every, --daily or --weekday"),
        ])
    func wrongOption(arguments: [String], message: String) throws {
        let run = try bus.run(["schedule", "add", "x", Self.name] + arguments + ["--", "true", "--bar"])
        #expect(run.code == 64 && run.errors.contains(message), "\(run.errors)")
    }

    @Test("an entry without a name has one of its own, and its command runs once without subscribing")
    func ownName() throws {
        let file = bus.directory.path + "/brewed"
        let add = "$R schedule add tea --in 0s --value '{\"due\": false}' -- sh -c 'echo $REVEILLE_ASPECT >>\(file)'"
        let run = try bus.shell(add)
        #expect(run.errors == "" && run.code == 0)
        #expect(try bus.run(["schedule", "add", "far", "--in", "1h", "--", "notify-send", "far"]).code == 0)
        let list = try bus.run(["schedule", "list"]).output
        #expect(list.contains(#/far +- +in .* notify-send far\n/#) && !list.contains("org.reveille."), "\(list)")
        #expect(try bus.run(["schedule", "cancel", "far"]).code == 0)
        try wait(for: "the command to run: \(bus.log)") { access(file, F_OK) == 0 }
        // Without entries and firings that a program is to receive, there is no file.
        try wait(for: "the firing to be received: \(bus.log)") {
            access(bus.directory.path + "/stored/schedule", F_OK) != 0
        }
        #expect(bus.directory.read("brewed") == "org.reveille.schedule.tea\n")
        let spaced = try bus.run(["schedule", "add", "green tea", "--in", "1h"])
        #expect(spaced.code == 64 && spaced.errors.contains("green tea: missing NAME"))
    }

    @Test("an unknown zone is named, with a similar one") func unknownZone() throws {
        let run = try bus.run(["schedule", "add", "x", Self.name, "--daily", "7:00", "--zone", "Europe/Berlim"])
        #expect(run.code == 64)
        #expect(run.errors.contains("x: time zone Europe/Berlim: "))
        #expect(run.errors.contains("the bus does not know this time zone"))
        if access("/usr/share/zoneinfo/tzdata.zi", R_OK) == 0 {
            #expect(run.errors.contains("; did you mean Europe/Berlin?\n"))
        }
        let far = try bus.run(["schedule", "add", "x", Self.name, "--daily", "7:00", "--zone", "Middle/Earth/Shire"])
        #expect(far.errors.hasSuffix("does not know this time zone\n"))
    }

    @Test("a path after -- is relative to the directory of the command, and a path without a file is refused")
    func relativePath() throws {
        try bus.directory.write("#!/bin/sh\n", to: "tool")
        chmod(bus.directory.path + "/tool", 0o700)
        let add = "$R schedule add x \(Self.name) --every 1h -- "
        let run = try bus.shell("cd \(bus.directory.path) && \(add)./tool --now")
        #expect(run.errors == "" && run.code == 0)
        let launch = try entries().first?["entry"]?.objectValue?["launch"]?.arrayValue?.compactMap(\.stringValue)
        #expect(launch == [bus.directory.path + "/./tool", "--now"])
        let missing = try bus.shell("cd \(bus.directory.path) && \(add)./missing")
        #expect(missing.code == 64)
        #expect(missing.errors.contains("exec ./missing: No such file or directory"))
    }
}
