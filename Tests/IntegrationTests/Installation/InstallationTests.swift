// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A bus in the places where packages run it: as a user of its own, without systemd, on full or read-only disks.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can mount and switch users"))
struct InstallationTests {
    private func add(_ name: String, to bus: BusProcess) throws -> ProgramRun {
        try bus.run(["schedule", "add", name, "org.example.\(name)", "--at", "2090-01-01 12:00"])
    }

    private func publish(_ level: Double, on bus: BusProcess) throws {
        try bus.client().post(level: level)
    }

    /// Returns a launcher that mounts a file system on a directory before it starts the bus.
    private func mounting(_ commands: String, on directory: TemporaryDirectory) -> [String] {
        ["unshare", "--mount", "sh", "-e", "-c", "cd \(directory.path); \(commands)\nexec \"$0\" \"$@\""]
    }

    // MARK: - The system bus

    /// Serves the system's address in a mount namespace, by a socket that is passed, as a user without privileges.
    ///
    /// The arguments are the program, a configuration and commands for the shell, which run once the bus answers.
    private static let activation = """
        import os, socket, subprocess, sys
        program, configuration, commands = sys.argv[1:]
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", "/run"], check=True)
        os.mkdir("/run/reveille", 0o755)
        os.chown("/run/reveille", 64123, 64123)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("/run/reveille/org.reveille.Bus")
        os.chmod("/run/reveille/org.reveille.Bus", 0o666)
        listener.listen()
        child = os.fork()
        if child == 0:
            os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.setgroups([]); os.setgid(64123); os.setuid(64123)
            os.execve(program, [program, "serve"], {
                "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "LISTEN_FDNAMES": "varlink",
                "RUNTIME_DIRECTORY": "/run/reveille", "REVEILLE_CONFIG": configuration, "HOME": "/"})
        status = subprocess.run(["sh", "-e", "-c", commands, program]).returncode
        os.kill(child, 15)
        print("exit", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.path.exists("/run/reveille/state.json"))
        sys.exit(status)
        """

    private func activate(
        _ commands: String, configuration: String = "/nowhere/reveille.json5", in directory: TemporaryDirectory
    ) throws -> ProgramRun {
        chmod(directory.path, 0o755)
        let program = try OtherUser.program(in: directory)
        return try ProgramRun(
            ["--mount", "python3", "-c", Self.activation, program, configuration, commands], program: "unshare",
            in: directory)
    }

    @Test("a bus has the address of the passed socket, even without privileges and XDG_RUNTIME_DIR")
    func addressIsThatOfTheSocket() throws {
        let directory = try TemporaryDirectory()
        let run = try activate(#""$0" get proximity"#, in: directory)
        #expect(run.code == 0 && run.output == "proximity   unknown\nexit 0 True\n", "\(run)")
        #expect(run.errors.contains("reveille: info: serving unix:/run/reveille/org.reveille.Bus\n"), "\(run.errors)")
    }

    @Test("at its address, a bus of any user is the system's: permissions apply, and no user's settings are read")
    func unprivilegedBusIsTheSystemBus() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            #"{ publish: { allow: [{ names: "org.example.*", users: [64124] }] } }"#, to: "config.json5")
        chmod(directory.path + "/config.json5", 0o644)
        let other = "setpriv --reuid 64124 --regid 64124 --clear-groups"
        let run = try activate(
            """
            \(other) "$0" publish org.example.a '{"level":1}'
            ! \(other) "$0" publish org.other.a '{"level":1}' 2>/dev/null
            "$0" get org.example.a
            "$0" call org.reveille.Bus.DescribeAspects '{}' | grep -c '"aspect":"defaults","available":false'
            """, configuration: directory.path + "/config.json5", in: directory)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.contains(#"{"level":1}"#), "\(run)")
        #expect(run.output.contains("\n1\nexit 0"), "\(run)")
    }

    @Test("a second bus at the address of an activated one is refused, and the first continues")
    func secondBusAtAnActivatedSocketIsRefused() throws {
        let directory = try TemporaryDirectory()
        let run = try activate(
            """
            "$0" get proximity
            code=0; "$0" serve --address unix:/run/reveille/org.reveille.Bus || code=$?
            echo "code $code"
            "$0" get proximity
            """, in: directory)
        #expect(run.code == 0, "\(run)")
        #expect(run.output.hasPrefix("proximity   unknown\ncode 75\nproximity   unknown\n"), "\(run)")
        #expect(run.errors.contains("another bus uses this address"), "\(run.errors)")
    }

    @Test(
        "a bus that may not freeze a program reports so before it tries",
        .enabled(if: TemporaryCgroup.canBeMade, "requires a cgroup v2 with a freezer"))
    func unprivilegedBusSuspendsNothing() throws {
        let group = try TemporaryCgroup()
        // The cgroup of a unit can be read by everyone.
        chmod(group.path, 0o755)
        let run = try activate(
            "echo $$ >\(group.path)/cgroup.procs; exec \"$0\" check suspend", in: TemporaryDirectory())
        #expect(run.code != 0, "\(run)")
        #expect(
            (run.output + run.errors).contains("open \(group.path)/cgroup.freeze: Permission denied (EACCES)"),
            "\(run)")
    }

    // MARK: - The configuration of a unit

    @Test("the file in REVEILLE_CONFIG need not exist, and is read once it does")
    func configurationOfAUnitIsOptional() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/unit.json5"
        func serve(_ arguments: [String] = []) throws -> RunningProgram {
            try RunningProgram(
                [BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus", "--root", directory.path]
                    + arguments, program: "setsid", in: directory, environment: ["REVEILLE_CONFIG": file])
        }
        let bus = try serve()
        try wait(for: "the bus") { bus.errors.contains("serving") }
        bus.process.signal(SIGHUP)
        try wait(for: "a reload") { bus.errors.contains("read \(file), which does not exist (all defaults) again") }
        try directory.write("{ bus: { history: 0 } }", to: "unit.json5")
        bus.process.signal(SIGHUP)
        try wait(for: "a refusal") { bus.errors.contains("the configuration is unchanged: \(file): bus.history") }
        try directory.write("{ bus: { history: 7 } }", to: "unit.json5")
        bus.process.signal(SIGHUP)
        try wait(for: "a reload") { bus.errors.contains("bus.history remains 256") }
        #expect(bus.stop() == 0)
        try directory.write("{ nonsense", to: "unit.json5")
        let invalid = try serve()
        #expect(invalid.process.wait() == 78)
        #expect(invalid.errors.contains(file), "\(invalid.errors)")
        let given = try serve(["--config", directory.path + "/other.json5"])
        #expect(given.process.wait() == 78)
        #expect(given.errors.contains("/other.json5: No such file"), "a file that is given must exist: \(given.errors)")
    }

    // MARK: - Poor surroundings

    @Test("in a container without systemd, user database and variables, the bus serves")
    func containerWithoutSystemdIsEnough() throws {
        let directory = try TemporaryDirectory()
        let run = try RunningProgram(
            ["-i", BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus", "--root", directory.path],
            program: "env", in: directory)
        try wait(for: "the bus") { run.errors.contains("serving") }
        #expect(try RawClient(directory.path + "/bus").call("GetState").error == nil)
        #expect(run.stop() == 0)
        #expect(run.errors == "reveille: info: serving unix:\(directory.path)/bus\nreveille: info: stopped\n")
    }

    @Test("on a full disk, the bus delivers, refuses what it cannot save, and names the file once")
    func fullDiskIsReported() throws {
        let place = try TemporaryDirectory()
        let full = place.path + "/full"
        mkdir(full, 0o700)
        let bus = try BusProcess(
            environment: ["RUNTIME_DIRECTORY": full, "STATE_DIRECTORY": full],
            launcher: mounting(
                "mount -t tmpfs -o size=16k tmpfs full; cat /dev/zero >full/ballast 2>/dev/null || true", on: place))
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        for level in [0.5, 0.4, 0.3] {
            try publish(level, on: bus)
            #expect(try subscriber.next().first?.level == level)
        }
        let run = try add("tea", to: bus)
        #expect(run.code == 75 && run.errors.contains("the bus cannot save its schedule"), "\(run)")
        #expect(try bus.run(["schedule", "list"]).output.contains("tea") == false)
        #expect(bus.stop() == 0)
        #expect(bus.log.ranges(of: "the state cannot be saved").count == 1, "\(bus.log)")
        #expect(bus.log.contains("No space left on device"), "\(bus.log)")
    }

    @Test("in a read-only home, the bus serves, and refuses only what it would have to save there")
    func readOnlyHomeIsReported() throws {
        let place = try TemporaryDirectory()
        try place.write("", to: "home/.config/.keep")
        let bus = try BusProcess(
            environment: ["HOME": place.path + "/home", "STATE_DIRECTORY": ""],
            launcher: mounting("mount --bind home home; mount -o remount,bind,ro home", on: place))
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        try publish(0.5, on: bus)
        #expect(try subscriber.next().first?.level == 0.5)
        // Root's schedule is not in its home; a user's is.
        let program = try OtherUser.program(in: place)
        chown(place.path, 64123, 64123)
        let user = try RunningProgram(
            [
                "--mount", "sh", "-e", "-c",
                """
                cd \(place.path); mount --bind home home; mount -o remount,bind,ro home
                exec setpriv --reuid \(OtherUser.id) --regid \(OtherUser.id) --clear-groups "$0" "$@"
                """, program, "serve", "--address", "unix:\(place.path)/bus", "--root", place.path + "/none",
            ], program: "unshare", in: place, environment: ["HOME": place.path + "/home"])
        try wait(for: "the user's bus") { user.errors.contains("serving") }
        let run = try ProgramRun(
            ["schedule", "add", "tea", "org.example.tea", "--at", "2090-01-01 12:00"], in: place,
            environment: ["REVEILLE_ADDRESS": "unix:\(place.path)/bus"])
        // Root publishes on a user's bus, so the entry itself is allowed.
        #expect(run.code == 75 && run.errors.contains("the bus cannot save its schedule"), "\(run)")
        #expect(user.stop() == 0)
        #expect(user.errors.contains("Read-only file system"), "\(user.errors)")
        #expect(bus.stop() == 0)
    }
}
