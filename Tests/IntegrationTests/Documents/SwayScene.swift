// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Varlink

/// A real sway without a screen, the example shell beside it, and a bus.
final class SwayScene {
    private static let packages = Package.root + "/.build-sway"
    static var isThere: Bool { access(packages + "/usr/bin/weston-simple-touch", X_OK) == 0 }
    /// Whether a missing sway is a failure, as in continuous integration.
    static var isRequired: Bool { getenv("CI") != nil }

    /// Executes a program that finds the packages, which are not installed.
    private static let wrapper = """
        for directory in "$PACKAGES"/usr/lib/*-linux-gnu; do export LD_LIBRARY_PATH="$directory"; done
        if [ -d "$PACKAGES/usr/share/X11/xkb" ]; then export XKB_CONFIG_ROOT="$PACKAGES/usr/share/X11/xkb"; fi
        export PATH="$PACKAGES/usr/bin:$PATH"
        exec "$@"
        """

    let bus: BusProcess
    private let environment: [String: String]
    private let sway: RunningProgram
    private let shell: RunningProgram

    init() throws {
        bus = try BusProcess()
        let directory = bus.directory.path
        mkdir(directory + "/run", 0o700)
        try bus.directory.write("output HEADLESS-1 resolution 640x480\n", to: "sway.conf")
        environment = [
            "PACKAGES": Self.packages, "XDG_RUNTIME_DIR": directory + "/run", "SWAYSOCK": directory + "/run/sway",
            "WAYLAND_DISPLAY": "wayland-1", "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman", "REVEILLE_ADDRESS": bus.address, "R": BusProcess.program,
            "PYTHONPATH": Package.root + "/Sources/Clients/Python",
        ]
        // sway does not run as root: a user namespace gives it another user.
        let user = getuid() == 0 ? ["unshare", "--user", "--map-user=1000", "--map-group=1000"] : []
        var unset = environment
        unset["WAYLAND_DISPLAY"] = ""
        sway = try Self.start(user + ["sway", "--config", directory + "/sway.conf"], in: bus, unset)
        let log = sway
        try wait(for: "sway: \(log.errors)") {
            access(directory + "/run/sway", F_OK) == 0 && access(directory + "/run/wayland-1", F_OK) == 0
        }
        let program = Package.root + "/Sources/Examples/SwayShell/sway_shell.py"
        shell = try Self.start(["/usr/bin/python3", program], in: bus, environment)
    }

    deinit {
        shell.stop()
        sway.stop()
    }

    private static func start(
        _ arguments: [String], in bus: BusProcess, _ environment: [String: String]
    ) throws -> RunningProgram {
        try RunningProgram(
            ["-c", wrapper, "sh"] + arguments, program: "sh", in: bus.directory, environment: environment)
    }

    func startProgram(named name: String) throws -> RunningProgram {
        let line = #"setpriv --pdeathsig KILL "$R" watch battery --json --name "$0" & exec weston-simple-touch"#
        let program = try Self.start(["sh", "-c", line, name], in: bus, environment)
        try wait(for: "a window: \(program.errors)") {
            let tree = try Self.start(["swaymsg", "--raw", "--type", "get_tree"], in: bus, environment)
            tree.process.wait()
            return tree.output.contains("\"pid\": \(program.process.pid),")
        }
        try waitUntil(name, isHeldBy: [])
        return program
    }

    func message(_ command: String) throws {
        let run = try Self.start(["swaymsg", command], in: bus, environment)
        guard run.process.wait() == 0 else { throw Trouble("swaymsg \(command): \(run.output) \(run.errors)") }
    }

    /// Waits until a program's subscription is held for certain reasons.
    func waitUntil(_ name: String, isHeldBy reasons: [String]) throws {
        let client = try bus.client()
        try wait(for: "\(name) to be held by \(reasons): \(shell.errors)") {
            let subscriptions = try client.call("ListSubscriptions").parameters.objects("subscriptions")
            return subscriptions.first { $0["name"]?.stringValue == name }?["held"]
                == .array(reasons.map { .string($0) })
        }
    }
}
