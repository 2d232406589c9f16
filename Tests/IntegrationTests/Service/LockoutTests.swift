// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

/// A user's own bus, and a program of that user that takes all the connections that it can have.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can switch users"))
struct LockoutTests {
    /// Subscribes until the bus refuses, and then connects as fast as it can until it is terminated.
    private static let attack = """
        import os, resource, socket, sys
        resource.setrlimit(resource.RLIMIT_NOFILE, [resource.getrlimit(resource.RLIMIT_NOFILE)[1]] * 2)
        path = os.environ["REVEILLE_ADDRESS"].removeprefix("unix:")
        call = b'{"method":"org.reveille.Bus.Subscribe","parameters":{"aspects":["battery"]},"more":true}\\0'
        kept = []
        while True:
            one = socket.socket(socket.AF_UNIX)
            one.connect(path)
            one.sendall(call)
            reply = one.recv(4096)
            if b"error" in reply:
                break
            kept.append(one)
        print(len(kept), reply.split(b"\\0")[0].decode(), flush=True)
        while True:
            one = socket.socket(socket.AF_UNIX)
            one.connect(path)
            kept = kept[:512] + kept[-1000:] + [one]
        """

    /// Runs the bus as another user, who owns its directory.
    private static let launcher = """
        d=${3#unix:}; d=${d%/reveille/*}; cp "$0" "$d/program"; chmod -R a+rX "$d"; chown -R \(OtherUser.id) "$d"
        exec setpriv --reuid \(OtherUser.id) --regid \(OtherUser.id) --clear-groups "$d/program" "$@"
        """

    @Test("a program that connects as often as it can stops neither status and doctor nor another program of its user")
    func programDoesNotLockOutItsUser() throws {
        let bus = try BusProcess(launcher: ["sh", "-c", Self.launcher])
        let environment = ["REVEILLE_ADDRESS": bus.address]
        let identity = ["--reuid", OtherUser.id, "--regid", OtherUser.id, "--clear-groups"]
        let attacker = try RunningProgram(
            identity + ["/usr/bin/python3", "-c", Self.attack], program: "setpriv", in: bus.directory,
            environment: environment)
        defer { attacker.process.signal(SIGKILL) }
        try wait(for: "the refusal: \(attacker.errors)") { attacker.output.hasSuffix("\n") }
        #expect(attacker.output.hasPrefix("512 "))
        #expect(attacker.output.contains(#""quota":"processConnections""#))

        func run(_ arguments: String...) throws -> ProgramRun {
            try OtherUser.run(
                [bus.directory.path + "/program"] + arguments, in: bus.directory, environment: environment)
        }
        let status = try run("status")
        #expect(status.code == 0, "\(status.errors)")
        #expect(status.output.contains("battery"))
        let doctor = try run("doctor")
        #expect(doctor.code == 0, "\(doctor.errors)")
        #expect(doctor.output.contains("ok  answers"))
        let publisher = try run("publish", "org.example.volume", #"{"level":1}"#)
        #expect(publisher.code == 0, "\(publisher.errors)")
        let reader = try run("get", "org.example.volume")
        #expect(reader.output.contains("level"), "\(reader.errors)")
    }

    @Test("doctor explains that all connections are taken, as far as it may ask") func quotaIsExplained() throws {
        let bus = try BusProcess(
            configuration: "{ bus: { connections: 2 } }", launcher: ["sh", "-c", Self.launcher])
        let environment = ["REVEILLE_ADDRESS": bus.address]
        let identity = ["--reuid", OtherUser.id, "--regid", OtherUser.id, "--clear-groups"]
        let script = """
            import os, signal, socket
            one = socket.socket(socket.AF_UNIX)
            one.connect(os.environ["REVEILLE_ADDRESS"].removeprefix("unix:"))
            one.sendall(b'{"method":"org.reveille.Bus.GetState"}\\0')
            print(len(one.recv(1)), flush=True)
            signal.pause()
            """
        var programs: [RunningProgram] = []
        // A process may have half of the connections.
        for _ in 0..<2 {
            let program = try RunningProgram(
                identity + ["/usr/bin/python3", "-c", script], program: "setpriv", in: bus.directory,
                environment: environment)
            try wait(for: "a reply: \(program.errors)") { program.output == "1\n" }
            programs.append(program)
        }
        defer { for program in programs { program.process.signal(SIGKILL) } }
        let doctor = try OtherUser.run(
            [bus.directory.path + "/program", "doctor"], in: bus.directory, environment: environment)
        #expect(doctor.code == 0 && doctor.output.contains("\nQuotaExceeded: bus\n"), "\(doctor.output)")
    }
}
