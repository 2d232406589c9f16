// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// `reveille simulate`: the lifetime of programs, and invalid scenarios.
@Suite(.blocking, .timeLimit(.minutes(5))) struct SimulateTests {
    let scene: SimulateScene

    init() throws {
        scene = try SimulateScene()
    }

    @Test("the exit code is the program's", arguments: [("exit 5", 5), ("kill -KILL $$", 137)])
    func exitCodeIsThatOfTheProgram(script: String, code: Int32) throws {
        #expect(try scene.simulate("wait subscribed", ["sh", "-c", script]).code == code)
    }

    @Test("the step end ends the program, whose SIGTERM is not a failure") func endEndsTheProgram() throws {
        #expect(try scene.simulate("wait subscribed\nend", SimulateScene.python).code == 9)
        #expect(try scene.simulate("end", ["sleep", "1000"]).code == 0)
        #expect(try scene.simulate("", ["sh", "-c", "kill -TERM $$"]).code == 128 + SIGTERM)
    }

    @Test("/dev/null is a scenario without steps, and another device is refused with the way to read a pipe")
    func devicesAsScenarios() throws {
        let idle = try ProgramRun(["simulate", "/dev/null", "--", "sh", "-c", "exit 3"], in: scene.directory)
        #expect(idle.code == 3 && idle.errors.isEmpty, "\(idle.errors)")
        let device = try ProgramRun(["simulate", "/dev/zero", "--", "true"], in: scene.directory)
        #expect(device.code == 78)
        #expect(device.errors == "reveille: /dev/zero is not a regular file; - reads the scenario from stdin\n")
    }

    @Test func `Processes that the program leaves behind are ended`() throws {
        // One in the program's group, and one in a session of its own that ignores SIGHUP.
        let script = #""$0" watch battery & echo $!.; setsid nohup sleep 1000 >/dev/null & echo $!."#
        let run = try scene.simulate("wait subscribed", ["sh", "-c", script, BusProcess.program])
        #expect(run.code == 0)
        let left = run.output.split(whereSeparator: { !$0.isNumber }).compactMap { Int32($0) }
        #expect(left.count == 2)
        for process in left {
            #expect(kill(process, 0) == -1 && errno == ESRCH, "\(process)")
            kill(process, SIGKILL)
        }
    }

    @Test("a signal is passed on", arguments: [SIGTERM, SIGINT]) func signalIsPassedOn(signal: Int32) throws {
        let (run, input) = try scene.start("", SimulateScene.python)
        try wait(for: "a message") { run.errors.contains("ready") }
        run.process.signal(signal)
        #expect(run.process.wait() == 9)
        withExtendedLifetime(input) {}
    }

    @Test("no signal leaves anything behind", arguments: [SIGHUP, SIGPIPE, SIGKILL])
    func nothingIsLeftBehind(signal: Int32) throws {
        let temporary = scene.directory.path + "/tmp"
        #expect(mkdir(temporary, 0o700) == 0)
        let (run, input) = try scene.start(
            "", ["sh", "-c", "echo ready; exec cat"], environment: ["TMPDIR": temporary])
        try wait(for: "output") { run.output.contains("ready") }
        #expect(rmdir(temporary) == -1)
        run.process.signal(signal)
        #expect(run.process.wait() == 128 + signal)
        try wait(for: "\(temporary) to be empty") { rmdir(temporary) == 0 }
        input.closeWritingEnd()
    }

    @Test("a hangup is ignored under nohup") func hangupIsIgnoredUnderNohup() throws {
        let script = "trap '' HUP; \"$0\" simulate \"$1\" -- sh -c 'kill -HUP $PPID; exit 3'"
        try scene.directory.write("", to: "scenario")
        let run = try ProgramRun(
            ["-c", script, BusProcess.program, scene.directory.path + "/scenario"], program: "sh", in: scene.directory)
        #expect(run.code == 3)
    }

    @Test("the bus ends if its owner is killed") func busEndsWithItsOwner() throws {
        let (run, input) = try scene.start("", ["sh", "-c", "echo $REVEILLE_ADDRESS.; exec cat"])
        try wait(for: "output") { run.output.contains(".") }
        let address = run.output.dropFirst("unix:".count).dropLast(2)
        let client = try RawClient(String(address))
        try client.call("GetState")
        run.process.signal(SIGKILL)
        run.process.wait()
        #expect(try client.receiveText(seconds: 60) == nil)
        // This ends cat.
        input.closeWritingEnd()
    }

    @Test(
        "a failing step ends the program and is reported",
        arguments: [
            ("remove charger\nstart\nwait subscribed\nplug", 1, "scenario:4: plug: the phone has no charger"),
            ("wait subscribed\nadd battery4", 78, "scenario:2: add battery4: battery4 does not exist; the next"),
            ("wait subscribed 2", 124, "scenario:1: wait subscribed 2: fewer than 2 subscriptions within"),
        ])
    func failingStepEndsTheProgram(scenario: String, code: Int32, message: String) throws {
        let run = try scene.simulate(
            scenario, options: ["--patience", code == 124 ? "0.1" : "60"], SimulateScene.python)
        #expect(run.code == code)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("a program that cannot be started is reported") func missingProgramIsReported() throws {
        let run = try scene.simulate("", ["/there/is/no/such/program"])
        #expect(run.code == 127)
        #expect(run.errors.contains("/there/is/no/such/program"))
    }

    @Test("a missing program or scenario is reported") func missingArgumentsAreReported() throws {
        #expect(try scene.simulate("", []).code == 64)
        let missing = try ProgramRun(
            ["simulate", scene.directory.path + "/missing", "--", "true"], in: scene.directory)
        #expect(missing.code == 78)
        #expect(missing.errors.contains("missing: No such file"))
    }
}
