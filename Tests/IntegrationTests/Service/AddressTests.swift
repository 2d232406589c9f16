// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The bus that is used by default.
///
/// One test makes a bus of the system; another expects that there is none.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can switch users"))
struct AddressTests {
    private let bus: BusProcess
    private let program: String

    init() throws {
        bus = try BusProcess()
        program = try OtherUser.program(in: bus.directory)
        try bus.client().call("Post", #"{"proximity":{"state":"near"}}"#)
    }

    /// Runs `reveille get proximity` as another user, with no variables but these to find the bus.
    private func get(_ variables: [String: String], _ arguments: [String] = []) throws -> ProgramRun {
        let unset = ["-u", "XDG_RUNTIME_DIR", "-u", "REVEILLE_ADDRESS"]
        return try OtherUser.run(
            ["env"] + unset + variables.map { $0 + "=" + $1 } + [program, "get", "proximity"] + arguments,
            in: bus.directory)
    }

    @Test func usersBusIsFoundInItsRuntimeDirectory() throws {
        #expect(try get(["XDG_RUNTIME_DIR": bus.directory.path]).output == "proximity   near\n")
    }

    @Test func errorNamesEveryAddressThatWasTried() throws {
        let run = try get(["XDG_RUNTIME_DIR": "/nowhere"])
        #expect(run.code == 69)
        #expect(
            run.errors == """
                reveille: there is no bus at unix:/nowhere/reveille/org.reveille.Bus or \
                unix:/run/reveille/org.reveille.Bus; is 'reveille serve' running?\n
                """)
        let usual = try get([:])
        #expect(usual.code == 69)
        #expect(
            usual.errors.contains("unix:/run/user/\(OtherUser.id)/reveille/org.reveille.Bus or"), "\(usual.errors)")
    }

    @Test(
        "a user's bus at its usual address has one schedule, with XDG_RUNTIME_DIR and without",
        .enabled(if: MountNamespace.canBeMade, "mounting is not permitted here"))
    func scheduleOfTheUsualAddress() throws {
        let script = """
            mkdir -p /run/user && mount -t tmpfs none /run/user && mkdir /run/user/\(OtherUser.id) home || exit
            chown \(OtherUser.id) /run/user/\(OtherUser.id) home
            as() { exec setpriv --reuid \(OtherUser.id) --regid \(OtherUser.id) --clear-groups env -u REVEILLE_ADDRESS \
                -u STATE_DIRECTORY -u RUNTIME_DIRECTORY -u XDG_RUNTIME_DIR HOME="$PWD/home" "$@"; }
            serve() {
                as "$@" \(program) serve & bus=$!
                until [ -S /run/user/\(OtherUser.id)/reveille/org.reveille.Bus ]; do kill -0 $bus || exit; done
            }
            serve XDG_RUNTIME_DIR=/run/user/\(OtherUser.id)
            (as \(program) schedule add tea org.example.tea --in 1h)
            kill $bus; wait $bus
            serve
            (as \(program) schedule list --json)
            kill $bus; wait $bus
            """
        let run = try ProgramRun(
            Array(MountNamespace.launcher.dropFirst()) + [
                "sh", "-c", "cd '\(bus.directory.path)' && chmod 755 . || exit; " + script,
            ],
            program: MountNamespace.launcher[0], in: bus.directory)
        #expect(run.output.split(separator: "\n").last?.contains(#""id":"tea""#) == true, "\(run.output)\(run.errors)")
    }

    @Test func explicitAddressIsTheOnlyOneTried() throws {
        let usual = ["XDG_RUNTIME_DIR": bus.directory.path]
        let option = try get(usual, ["--address", "unix:/nowhere/bus"])
        #expect(option.code == 69)
        #expect(option.errors.contains("there is no bus at unix:/nowhere/bus;"))
        let variable = try get(usual.merging(["REVEILLE_ADDRESS": "unix:/nowhere/bus"]) { $1 })
        #expect(variable.code == 69)
        #expect(variable.errors.contains("there is no bus at unix:/nowhere/bus;"))
        let both = try get(["REVEILLE_ADDRESS": "unix:/nowhere/bus"], ["--address", bus.address])
        #expect(both.output == "proximity   near\n")
    }

    @Test(.enabled(if: access("/run/reveille", F_OK) != 0, "this machine may have a system bus"))
    func systemBusIsUsedIfTheUserHasNone() throws {
        let directory = "/run/reveille"
        mkdir(directory, 0o755)
        defer { rmdir(directory) }
        #expect(symlink(bus.socket, directory + "/org.reveille.Bus") == 0)
        defer { unlink(directory + "/org.reveille.Bus") }
        #expect(try get([:]).output == "proximity   near\n")
        #expect(try get(["XDG_RUNTIME_DIR": "/nowhere"]).output == "proximity   near\n")
        // A killed bus leaves its socket behind.
        let own = try BusProcess()
        chmod(own.directory.path, 0o755)
        own.kill()
        #expect(access(own.socket, F_OK) == 0)
        #expect(try get(["XDG_RUNTIME_DIR": own.directory.path]).output == "proximity   near\n")
        try own.restart()
        #expect(try get(["XDG_RUNTIME_DIR": own.directory.path]).output == "proximity   unknown\n")
        // A bus cannot be started at another user's address.
        let serve = try OtherUser.run(
            [program, "serve"], in: bus.directory, environment: ["XDG_RUNTIME_DIR": own.directory.path])
        #expect(serve.code == 77)
        #expect(serve.errors.contains(own.directory.path + "/reveille"), "\(serve.errors)")
    }
}
