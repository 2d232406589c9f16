// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

@Suite(.blocking, .timeLimit(.minutes(10))) struct RunCommandTests {
    private static let noManager = [
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
    ]
    /// Prints the name, the process ID and the cgroup, and exits with a code.
    private static let report = #"echo "$REVEILLE_NAME $$ $(grep ^0:: /proc/self/cgroup)"; exit 7"#

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a command in a cgroup, or else in the cgroup of the tests.
    private func run(_ arguments: [String], in cgroup: TemporaryCgroup? = nil) throws -> ProgramRun {
        let enter = cgroup == nil ? "" : #"echo 0 >"$0"/cgroup.procs; "#
        return try ProgramRun(
            ["-c", enter + #"echo $$; exec "$@""#, cgroup?.path ?? "", BusProcess.program, "run"] + arguments,
            program: "sh", in: directory, environment: Self.noManager)
    }

    @Test(
        "the program replaces the command in a cgroup of its own, which ends with the program",
        .enabled(if: TemporaryCgroup.canBeMade, "requires a cgroup v2 with a freezer"))
    func programGetsItsOwnCgroup() throws {
        let outer = try TemporaryCgroup()
        for name in ["one", "two-three"] {
            let run = try run(["--name", name, "--", "sh", "-c", Self.report], in: outer)
            #expect(run.code == 7)
            #expect(run.errors == "")
            let words = run.output.split { $0 == " " || $0 == "\n" }
            #expect(words[1] == name)
            #expect(words[0] == words[2], "the process ID has changed")
            let cgroup = try #require(words[3].split(separator: "/").last)
            #expect(cgroup.hasPrefix(name == "one" ? "app-reveille-one-" : #"app-reveille-two\x2dthree-"#))
            #expect(cgroup.hasSuffix(".scope"))
            try wait(for: "the end of \(cgroup)") { access("\(outer.path)/\(cgroup)", F_OK) != 0 }
        }
    }

    @Test(
        "a program is found by the name of its scope, and 'task' finds its subscription from another process in it",
        .enabled(if: TemporaryCgroup.canBeMade, "requires a cgroup v2 with a freezer"))
    func programIsFoundByItsScope() throws {
        let bus = try BusProcess()
        let outer = try TemporaryCgroup()
        // The subscriber is not an ancestor of the task, and has a name of its own.
        let script = #"""
            "$R" watch battery --name other & while ! "$R" status | grep -q other; do :; done
            "$R" task upload -- sh -c '"$R" status | grep -o upload'; "$R" hold two-words; wait
            """#
        let enter = #"echo 0 >"$0"/cgroup.procs; exec "$@""#
        let run = try RunningProgram(
            ["-c", enter, outer.path, BusProcess.program, "run", "--name", "two-words", "--", "sh", "-c", script],
            program: "sh", in: directory,
            environment: Self.noManager.merging(["R": BusProcess.program, "REVEILLE_ADDRESS": bus.address]) { $1 })
        try wait(for: "the task, not \(run.output)\(run.errors)") { run.output.contains("upload") }
        try bus.waitForSubscription("other", heldBy: ["operator"])
        #expect(try bus.run(["wake", "two-words"]).errors == "")
        try bus.waitForSubscription("other", heldBy: [])
        #expect(try bus.run(["wake", "two"]).code == 1)
        kill(pid_t(try #require(bus.subscription(named: "other")?.integer("pid"))), SIGTERM)
        run.process.wait()
    }

    @Test(
        "the cgroup ends with the last process in it",
        .enabled(if: TemporaryCgroup.canBeMade, "requires a cgroup v2 with a freezer"))
    func cgroupEndsWithItsLastProcess() throws {
        let outer = try TemporaryCgroup()
        let input = try Pipe()
        // The standard input of a child in the background is /dev/null.
        let program = "grep ^0:: /proc/self/cgroup; exec 3<&0; cat <&3 &"
        let script = #"echo 0 >"$0"/cgroup.procs; exec "$1" run -- sh -c "$2""#
        let run = try RunningProgram(
            ["-c", script, outer.path, BusProcess.program, program], program: "sh", in: directory,
            environment: Self.noManager,
            descriptors: [0: input.readingEnd])
        #expect(run.process.wait() == 0)
        let name = try #require(run.output.split { "/\n".contains($0) }.last)
        let cgroup = "\(outer.path)/\(name)"
        #expect(access(cgroup, F_OK) == 0)
        input.closeWritingEnd()
        try wait(for: "the end of \(cgroup)") { access(cgroup, F_OK) != 0 }
    }

    @Test(.enabled(if: geteuid() == 0, "requires root")) func programThatCannotBeSuspendedRunsWithAWarning() throws {
        let program = try OtherUser.program(in: directory)
        let run = try OtherUser.run(
            [program, "run", "--", "sh", "-c", "echo started; exit 3"], in: directory, environment: Self.noManager)
        #expect(run.code == 3)
        #expect(run.output == "started\n")
        #expect(run.errors.hasPrefix("reveille: sh cannot be suspended: no service manager: sd_bus_open_user: "))
        #expect(run.errors.split(separator: "\n").count == 1)
    }

    @Test("arguments that are not UTF-8 reach the program unchanged") func argumentsKeepTheirBytes() throws {
        let script = #"exec "$0" run -- sh -c 'printf %s "$1" | od -An -tx1' sh "$(printf 'a\377b')""#
        let run = try ProgramRun(
            ["-c", script, BusProcess.program], program: "sh", in: directory, environment: Self.noManager)
        #expect(run.code == 0)
        #expect(run.output == " 61 ff 62\n")
    }

    @Test("a program has the name that it was given, and none that was inherited", arguments: [nil, "mail"])
    func inheritedNameIsNotPassedOn(name: String?) throws {
        let options = name.map { ["--name", $0] } ?? []
        let run = try ProgramRun(
            ["run"] + options + ["--", "sh", "-c", #"echo "${REVEILLE_NAME-none}""#], in: directory,
            environment: Self.noManager.merging(["REVEILLE_NAME": "shell"]) { $1 })
        #expect(run.output == "\(name ?? "none")\n")
    }

    @Test(arguments: [
        ([], 64, "missing command"), (["--name", "", "--", "true"], 64, "--name must not be empty"),
        (["--name", String(repeating: "n", count: 129), "--", "true"], 64, "--name must have at most 128 bytes"),
        (["--", "reveille-no-such-program"], 127, "reveille-no-such-program: command not found"),
        (["--", "/etc/passwd"], 127, "/etc/passwd: Permission denied"),
    ]) func wrongUseIsReported(arguments: [String], code: Int32, message: String) throws {
        let run = try run(arguments)
        #expect(run.code == code)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}

@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: PrivateServiceManager.obstacle == nil, "no systemd can be started here"))
struct RunInScopeTests {
    @Test func programIsInAScopeAndKeepsItsSignals() throws {
        let manager = try PrivateServiceManager()
        let directory = try TemporaryDirectory()
        let script = "grep ^0:: /proc/self/cgroup; kill -TERM $$"
        let run = try ProgramRun(
            ["run", "--", "sh", "-c", script], in: directory,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": manager.address])
        #expect(run.code == 128 + SIGTERM)
        #expect(run.errors == "")
        #expect(run.output.contains("/app.slice/app-reveille-sh-"))
        #expect(run.output.hasSuffix(".scope\n"))
    }
}
