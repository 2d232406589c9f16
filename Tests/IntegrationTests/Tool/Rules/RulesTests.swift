// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// `reveille rules`: what a file of rules does.
@Suite(.blocking, .timeLimit(.minutes(10))) struct RulesTests {
    private static let name = "org.example.player"
    /// A rule that writes a line with a value of the event.
    private static let playing = #"org.example.player 'playing == true' -- sh -c '"$LOGS/member" n >>"$LOGS/ran"'"#

    private func publish(_ scene: RulesScene, _ values: (Int, Bool)...) throws {
        for (number, isPlaying) in values { try scene.publish(Self.name, #"{"n":\#(number),"playing":\#(isPlaying)}"#) }
    }

    @Test("a rule runs its command each time that its condition becomes true, and not for what was true before")
    func ruleRuns() throws {
        let scene = try RulesScene(Self.playing)
        try publish(scene, (1, true))
        try scene.start()
        try publish(scene, (2, true), (3, false), (4, true))
        try scene.waitForLines(["4"])
        try publish(scene, (5, false), (6, true), (7, false), (8, true))
        try scene.waitForLines(["4", "6", "8"])
        let subscriptions = try scene.bus.client().subscriptions()
        #expect(subscriptions.map { $0["name"] } == ["reveille rules"])
        #expect(scene.program?.stop() == 0)
    }

    @Test("the rules of a file run at the same time, by one subscription, and each one by one")
    func rulesRunSideBySide() throws {
        let scene = try RulesScene(
            """
            \(Self.playing.replacing("\"$LOGS/member\"", with: #"echo begin >>"$LOGS/slow"; read line <"$LOGS/gate"; "$LOGS/member""#))
            org.example.player 'n >= 2' -- sh -c 'echo two >>"$LOGS/ran"'
            org.example.other 'a == 1' -- sh -c 'echo other >>"$LOGS/ran"'
            """)
        try #require(mkfifo(scene.path("gate"), 0o600) == 0)
        try scene.start()
        try publish(scene, (1, true))
        try wait(for: "the slow command") { scene.lines("slow") == ["begin"] }
        try publish(scene, (2, false), (3, true))
        try scene.publish("org.example.other", #"{"a":1}"#)
        try wait(for: "both others") { Set(scene.lines()) == ["two", "other"] }
        #expect(scene.lines("slow") == ["begin"])
        #expect(try scene.bus.client().subscriptions().count == 1)
        for count in [3, 4] {
            let gate = open(scene.path("gate"), O_WRONLY | O_CLOEXEC)
            close(gate)
            try wait(for: "the end of the slow command") { scene.lines().count == count }
        }
        #expect(scene.lines().suffix(2) == ["1", "3"])
    }

    @Test("a rule with a time is an entry of the schedule, which ends with its line") func timesAreEntries() throws {
        let scene = try RulesScene(
            #"""
            every 1s -- sh -c 'echo "$REVEILLE_CHANGES" >>"$LOGS/ran"'
            at 23:59 -- true
            """#)
        try scene.start()
        #expect(try scene.entries().count == 2)
        let list = try scene.bus.run(["schedule", "list"]).output
        #expect(list.contains(#/a rule +- +in .* +at 23:59 -- true\n/#) && !list.contains("org.reveille."), "\(list)")
        try wait(for: "a firing") { !scene.lines().isEmpty }
        #expect(try scene.bus.run(["schedule", "add", "tea", "--in", "1h"]).code == 0)
        let cancelled = try scene.bus.run(["schedule", "cancel", "--all"])
        #expect(
            cancelled.errors
                == "reveille: 2 entries of rules remain; 'reveille rules' removes an entry with its line\n")
        #expect(try scene.entries().count == 2)
        // The firings while nothing follows the rules are one run.
        scene.program?.stop()
        let entry = try #require(try scene.entries().first { $0["entry"]?.objectValue?["every"] != nil })
        let fired = entry.integer("fired")
        try wait(for: "two more firings") { try scene.entries().contains { $0.integer("fired") >= fired + 2 } }
        let before = scene.lines().count
        try scene.start()
        try wait(for: "one run for all") { scene.lines().count > before }
        #expect(try #require(Int(scene.lines()[before])) >= 2)
        try scene.write("at 23:59 -- true")
        try scene.waitUntilFollowed()
        #expect(try scene.entries().count == 1)
        unlink(scene.path("rules"))
        #expect(try #require(scene.program).process.wait() == 0)
        #expect(try scene.entries().isEmpty)
    }

    @Test("the file is read again when it changes, and what has not changed goes on") func fileIsReadAgain() throws {
        let scene = try RulesScene(Self.playing)
        try scene.start()
        try publish(scene, (1, true))
        try scene.waitForLines(["1"])
        try scene.write("# first\n" + Self.playing + "\nbroken\norg.example.player 'n == 3' -- no-such-command\n")
        try wait(for: "the report") { scene.program?.errors.contains("line 3: a rule has the form") == true }
        try scene.waitUntilFollowed()
        #expect(scene.program?.errors.contains("line 4: no-such-command: command not found") == true)
        try publish(scene, (2, false), (3, true))
        try scene.waitForLines(["1", "3"])
        try wait(for: "the run that failed") {
            let rules = try scene.stored()?["rules"]?.arrayValue ?? []
            return rules.last?.objectValue?.integer("exitCode") == 127
        }
        let list = try scene.run(["--list"])
        #expect(
            list.output.contains(#/2 +true +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +0 +org\.example\.player 'playing/#),
            "\(list.output)")
        #expect(list.output.contains(#/4 +true +\S+ \S+ +127 +org/#))
    }

    @Test("--check reports each line that is wrong, and needs no bus") func checkReports() throws {
        let missing = "at 7:30 -- true\nnothing\nbattery 'level < 1' -- no-such-command\nat 8:00 -- no-such-command"
        let scene = try RulesScene(missing)
        scene.bus.kill()
        let run = try scene.run(["--check"])
        #expect(run.code == 78)
        #expect(run.output == "3 rules\n")
        #expect(run.errors.split(separator: "\n").count == 4)
        #expect(
            run.errors.contains("rules: line 2: ")
                && run.errors.contains("rules: line 3: no-such-command: command not found\n"))
        #expect(run.errors.hasSuffix("rules: 1 line is wrong, 1 command is missing\n"), "\(run.errors)")
        try scene.write("nothing\nnothing more\nat 8:00 -- no-such-command\nat 7:30 -- no-such-tool")
        #expect(
            try scene.run(["--check"]).errors.hasSuffix("rules: 2 lines are wrong, 2 commands are missing\n"))
        try scene.write("at 7:30 -- true\nnothing")
        let other = try scene.run(["--check"])
        #expect(other.output == "1 rule\n" && other.errors.hasSuffix("rules: 1 line is wrong\n"), "\(other.errors)")
        try scene.write("at 7:30 -- true")
        #expect(try scene.run(["--check"]).code == 0)
    }

    @Test("--list shows the lines that are wrong, and needs no bus") func listNeedsNoBus() throws {
        let scene = try RulesScene("battery 'level < 1' -- true\nbattery 'level < 10%' -- true\nat 7:30 -- true")
        scene.bus.kill()
        let run = try scene.run(["--list"])
        #expect(run.code == 0 && run.errors.hasSuffix("; the states of the rules are not known\n"), "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 4 && lines[1].hasSuffix("battery 'level < 1' -- true"), "\(run.output)")
        #expect(lines.dropFirst(2).first?.contains(#/^2 +wrong .*use 0\.1 instead of the '10%'/#) == true, "\(lines)")
    }

    @Test("rules without a bus say that they wait for it") func rulesWaitForABus() throws {
        let scene = try RulesScene(Self.playing)
        scene.bus.kill()
        let program = try RunningProgram(
            ["rules", scene.path("rules"), "--state", scene.path("rules.json")], in: scene.bus.directory,
            environment: ["REVEILLE_ADDRESS": scene.bus.address])
        try wait(for: "the line: \(program.errors)") { program.errors.hasSuffix("; waiting for the bus\n") }
        try scene.bus.restart()
        try wait(for: "the subscription") { try !scene.bus.client().subscriptions().isEmpty }
        #expect(program.stop() == 0)
    }

    @Test("a second program for the same rules is refused") func secondProgramIsRefused() throws {
        let scene = try RulesScene(Self.playing)
        try scene.start()
        let pid = try #require(scene.program).process.pid
        let run = try scene.run([])
        #expect(run.code == 75)
        let other = "another 'reveille rules' (process \(pid)) follows these rules"
        #expect(run.errors == "reveille: \(scene.path("rules")): \(other)\n")
    }

    @Test("a file that is missing is named, and so is a state that is not the program's") func filesAreNamed() throws {
        let scene = try RulesScene("at 7:30 -- true")
        try scene.bus.directory.write("{}", to: "rules.json")
        let run = try scene.run([])
        #expect(run.code == 74)
        #expect(run.errors.contains("rules.json: not a file written by 'reveille rules"), "\(run.errors)")
        unlink(scene.path("rules"))
        let missing = try scene.run([])
        #expect(missing.code == 78)
        #expect(missing.errors.contains("open \(scene.path("rules")): No such file or directory"))
    }

    @Test("a state that cannot be stored is reported, and the rules go on", .enabled(if: geteuid() == 0))
    func stateCannotBeStored() throws {
        let scene = try RulesScene(Self.playing)
        try scene.start()
        // Not even root can put a file in the place of a directory that is not empty.
        unlink(scene.path("rules.json"))
        try scene.bus.directory.write("", to: "rules.json/kept")
        try publish(scene, (1, true), (2, false), (3, true))
        try scene.waitForLines(["1", "3"])
        #expect(scene.program?.errors.contains("rules.json: Is a directory") == true, "\(scene.program?.errors ?? "")")
    }
}
