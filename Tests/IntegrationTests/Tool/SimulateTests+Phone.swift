// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Programs in other languages on a phone that follows a scenario.
extension SimulateTests {
    @Test("a Python program that sleeps during a burst receives one event") func pythonProgramSleeps() throws {
        let scenario = """
            wait subscribed
            level 0.5
            wait delivered
            background
            burst 100
            level 0.1
            foreground
            """
        let run = try scene.simulate(scenario, SimulateScene.python)
        #expect(run.code == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first == "0.5 1")
        #expect(lines.count == 2, "\(run.output)")
        #expect(lines.last?.hasPrefix("0.1 ") == true)
    }

    @Test("a shell program receives a change of every aspect") func shellProgramReceivesAll() throws {
        let scenario = """
            # The phone can be changed before the program starts.
            remove proximity
            level 0.5
            start
            wait subscribed
            level 0.2
            rotate faceDown
            add proximity
            locale de_DE.UTF-8
            settings app.json {"theme": "dark"}
            """
        let script = "\"$0\" watch --json --count 5 --timeout 60 | sed 's/.*\"aspect\":\"\\([a-z]*\\)\".*/\\1/' | sort"
        let run = try scene.simulate(scenario, ["sh", "-c", script, BusProcess.program])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output == "battery\ndefaults\nlocale\norientation\nproximity\n")
    }

    @Test("a program of the schedule is started on the phone") func scheduledProgramIsStarted() throws {
        let script = #"""
            mkfifo "$1"
            "$0" schedule add x --in 0s -- sh -c "cat /sys/class/power_supply/battery/capacity >$1" >/dev/null
            timeout 60 cat "$1"
            """#
        let fifo = scene.directory.path + "/started"
        let run = try scene.simulate("level 0.42", ["sh", "-c", script, BusProcess.program, fifo])
        #expect(run.output == "42\n" && run.code == 0, "\(run.errors)")
    }

    @Test("the phone's sockets are in a private directory") func runtimeDirectoryIsPrivate() throws {
        let run = try scene.simulate(
            "", ["sh", "-c", "stat -c %a $XDG_RUNTIME_DIR; echo $REVEILLE_ADDRESS $XDG_RUNTIME_DIR"])
        let words = run.output.split(whereSeparator: \.isWhitespace)
        #expect(words.first == "700")
        #expect(words.dropFirst().first == "unix:\(words.last ?? "")/reveille/org.reveille.Bus")
    }

    @Test("a phone can be created even if TMPDIR is too long for a socket") func longTemporaryDirectory() throws {
        let long = String(repeating: "/long", count: 20)
        try scene.directory.write("", to: "scenario")
        try scene.directory.write("", to: long + "/.keep")
        let run = try ProgramRun(
            ["simulate", scene.directory.path + "/scenario", "--", BusProcess.program, "get", "proximity"],
            in: scene.directory,
            environment: ["TMPDIR": scene.directory.path + long])
        #expect(run.code == 0, "\(run.errors)")
        #expect(run.output.contains("far"))
    }

    @Test("an event names a file that the program can open") func eventNamesAFileThatOpens() throws {
        let script = """
            file=$("$0" watch defaults --json --count 1 | sed 's/.*"path":"\\([^"]*\\)".*/\\1/')
            cat "$file"; test "$file" = ~/.config/app.json || echo "$file"
            """
        let scenario = "wait subscribed\nsettings app.json {\"theme\": \"dark\"}"
        let run = try scene.simulate(scenario, ["sh", "-c", script, BusProcess.program])
        #expect(run.output == #"{"theme": "dark"}"#, "\(run.errors)")
    }
}
