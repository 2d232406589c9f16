// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// A real service manager, `systemd --user`, with a message bus and units of its own, for tests as root.
///
/// It has a cgroup of its own, in the hierarchy of the machine, and ends with its owner, with all its units.
package final class PrivateServiceManager {
    private static let programs = ["/usr/lib/systemd/systemd", "/usr/bin/dbus-daemon", "/usr/bin/busctl"]
    /// systemd 255 and earlier freeze units only if this cgroup exists, as on a machine that systemd has started.
    private static let initScope = "/init.scope"
    private static let users = Lock(0)

    /// The reason why a manager cannot be created here, or `nil` if it can.
    package static let obstacle: String? = {
        if geteuid() != 0 { return "requires root" }
        if !TemporaryCgroup.canBeMade { return "requires a cgroup v2 with a freezer" }
        if let missing = programs.first(where: { access($0, X_OK) != 0 }) { return "\(missing) is missing" }
        guard let probe = try? ChildProcess(["unshare", "-m", "true"]), probe.wait() == 0 else {
            return "mount namespaces are not permitted"
        }
        return nil
    }()

    package let address: String
    package let cgroup: String
    private let hierarchy: String
    private let directory: TemporaryDirectory
    private let process: ChildProcess
    /// Ends the manager if this process ends without releasing it.
    private let alive: Pipe

    package init() throws(TestbedError) {
        guard let hierarchy = CgroupHierarchy.find()?.directory else { throw TestbedError("cgroup v2 is not mounted") }
        self.hierarchy = hierarchy
        directory = try TemporaryDirectory(forSocket: "/bus")
        address = "unix:path=\(directory.path)/bus"
        cgroup = try TemporaryDirectory.make(hierarchy + "/reveille-manager-XXXXXX")
        Self.users.withLock { users in
            users += 1
            _ = mkdir(hierarchy + Self.initScope, 0o755)
        }
        for (name, text) in Self.units { try directory.write(text, to: "units/" + name) }
        let log = try directory.open("log")
        defer { close(log) }
        let script = ["bash", "-ec", Self.script, "bash", hierarchy, cgroup, directory.path]
        let ready: Pipe
        (process, alive, ready) = try TestbedError.requiring { () throws(SystemError) in
            let (alive, ready) = (try Pipe(), try Pipe())
            let descriptors = [
                STDIN_FILENO: alive.readingEnd, STDOUT_FILENO: ready.writable, STDERR_FILENO: log,
            ]
            return (try ChildProcess(script, descriptors: descriptors, isApart: true), alive, ready)
        }
        ready.closeWritingEnd()
        guard ready.waitForWake() else { throw TestbedError("systemd --user: \(directory.read("log").suffix(500))") }
    }

    deinit {
        // The processes may be frozen, and systemd does not stop its units when it is killed.
        try? TemporaryDirectory.fill(cgroup + "/cgroup.kill", with: Array("1".utf8))
        process.wait()
        // Processes that are about to end still count.
        let remove = "for try in $(seq 100); do find \"$0\" -depth -type d -exec rmdir {} + && break; sleep 0.1; done"
        _ = try? ChildProcess(["bash", "-c", remove + " 2>/dev/null", cgroup]).wait()
        Self.users.withLock { users in
            users -= 1
            // The cgroup stays if it has processes, because systemd has started the machine.
            if users == 0 { rmdir(hierarchy + Self.initScope) }
        }
    }

    /// Starts systemd in a mount namespace that looks like a machine started by systemd, and reports on stdout when
    /// systemd is on its bus.
    private static let script = """
        echo 0 >"$2/cgroup.procs"
        export RUNTIME="$3"
        exec 3<&0
        (read -r <&3 || echo 1 >"$2/cgroup.kill") >&2 &
        exec unshare -m --propagation private bash -ec '
            mount --bind "$0" /sys/fs/cgroup
            mount -t tmpfs run /run
            mkdir -p /run/systemd/system
            env -i PATH="$PATH" HOME="$RUNTIME" XDG_RUNTIME_DIR="$RUNTIME" SYSTEMD_UNIT_PATH="$RUNTIME/units" \
                \(programs[0]) --user --log-target=console >&2 &
            until busctl --address="unix:path=$RUNTIME/bus" --timeout=1 status org.freedesktop.systemd1 >&2; do
                sleep 0.1
                kill -0 $!
            done
            echo ready
            exec >&-
            wait
        ' "$1" 3<&-
        """

    /// The units of the manager, including common dependencies of all units; an empty file would mask a unit.
    private static let units = [
        "default.target": "[Unit]\nRequires=dbus.service\nAfter=dbus.service\n",
        "dbus.socket": "[Socket]\nListenStream=%t/bus\n",
        "dbus.service": """
        [Unit]
        Requires=dbus.socket
        [Service]
        Type=notify
        ExecStart=\(programs[1]) --session --address=systemd: --nofork --nopidfile --systemd-activation

        """,
        "basic.target": "[Unit]\n", "sockets.target": "[Unit]\n", "shutdown.target": "[Unit]\n",
        "paths.target": "[Unit]\n", "timers.target": "[Unit]\n",
    ]
}
