// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

/// A directory with a bus, where commands of the documents run; programs of others do nothing.
struct SnippetScene {
    let bus: BusProcess

    private static let others = [
        "apt", "busctl", "espeak", "gsettings", "notify-send", "playerctl", "set-dark-theme", "ssh", "swift",
        "home/bin/backup", "home/bin/set-dark-theme", "app",
    ]

    init() throws {
        bus = try BusProcess()
        let directory = bus.directory
        for folder in ["home", "home/bin", "home/.config", "home/.config/reveille", "home/.cache"] {
            mkdir(directory.path + "/" + folder, 0o755)
        }
        for program in Self.others {
            try directory.write("#!/bin/sh\n", to: program)
            chmod(directory.path + "/" + program, 0o755)
        }
        try directory.write("wait subscribed\nend", to: "day.scenario")
        try directory.write(
            DocumentTests.block("rules", of: "Docs/Reference/Rules.md"), to: "home/.config/reveille/rules")
    }

    func start(_ line: String) throws -> RunningProgram {
        let directory = bus.directory.path
        let path = Environment.all["PATH"] ?? ""
        return try RunningProgram(
            ["-c", "cd \(directory)\n\(line)\ncode=$?; wait; exit $code"], program: "sh", in: bus.directory,
            environment: [
                "REVEILLE_ADDRESS": bus.address, "HOME": directory + "/home",
                "PATH": "\(directory):\(ChildProcess.sibling(".")):\(path)",
            ])
    }

    /// Waits until a command has ended, subscribed or printed something, and ends it then; returns its exit code.
    ///
    /// A satellite in the background may neither subscribe nor print: it is at work once it has a socket.
    func end(_ run: RunningProgram, inBackground: Bool = false) throws -> Int32 {
        try wait(for: "the command to do something: \(run.errors)") {
            let processes = Self.descendants(of: run.process.pid)
            if run.process.hasEnded || !run.output.isEmpty { return true }
            if inBackground { return processes.contains(where: Self.hasSocket) }
            return try bus.client().subscriptions().contains { processes.contains(pid_t($0.integer("pid"))) }
        }
        for process in Self.descendants(of: run.process.pid) { kill(process, SIGTERM) }
        let code = run.process.wait()
        return [SIGTERM, 128 + SIGTERM].contains(code) ? 0 : code
    }

    private static func hasSocket(_ process: pid_t) -> Bool {
        (try? ProcessDescriptors.targets(of: process))?.contains { $0.hasPrefix("socket:") } == true
    }

    private static func descendants(of process: pid_t) -> [pid_t] {
        let text = (try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children")) ?? ""
        let children = text.split(separator: " ").compactMap { pid_t($0) }
        return children + children.flatMap(descendants)
    }
}
