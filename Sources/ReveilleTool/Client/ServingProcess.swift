// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// What the system knows of the process that serves a bus, where that can be seen from here.
struct ServingProcess {
    let pid: Int32
    /// How long it has run.
    let uptime: Duration
    /// The file after `--config`; `nil` where the defaults count.
    let configuration: String?

    /// Looks at a process.
    ///
    /// - Parameter pid: Who listens, as the kernel names it. That need not be the bus: a supervisor may have made the
    ///   socket, or a bus before this one; so only what was started as `serve` is taken for it.
    init?(_ pid: Int32) {
        guard pid > 0, let arguments = Self.arguments(of: pid), arguments.dropFirst().first == "serve",
            let start = Self.start(of: pid)
        else { return nil }
        self.pid = pid
        uptime = max(.zero, .microseconds(Clocks.boot()) - start)
        var configuration: String?
        for (index, argument) in arguments.enumerated() {
            if argument == "--config", index + 1 < arguments.count { configuration = arguments[index + 1] }
            if argument.hasPrefix("--config=") { configuration = String(argument.dropFirst("--config=".count)) }
        }
        self.configuration = configuration.map { Self.absolute($0, of: pid) }
    }

    /// The two largest units: `3 d 4 h`, `12 min 5 s`.
    var uptimeText: String {
        let seconds = uptime.components.seconds
        let parts: [(count: Int64, unit: String)] = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let first = parts.firstIndex { $0.count > 0 } ?? parts.count - 1
        return parts[first...].prefix(2).map { "\($0.count) \($0.unit)" }.joined(separator: " ")
    }

    private static func arguments(of pid: Int32) -> [String]? {
        // As long as the kernel lets arguments be, by far.
        guard case .bytes(let bytes) = FileContents.read("/proc/\(pid)/cmdline", limit: 1 << 20) else { return nil }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A path that a process was given, from its directory where that may be seen.
    private static func absolute(_ path: String, of pid: Int32) -> String {
        guard !path.hasPrefix("/"), let directory = realpath("/proc/\(pid)/cwd", nil) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    /// When it started, since the start of the machine: field 22 of proc_pid_stat(5), in ticks.
    private static func start(of pid: Int32) -> Duration? {
        guard case .bytes(let bytes) = FileContents.read("/proc/\(pid)/stat", limit: 1 << 16),
            // The name, in parentheses, may have spaces and parentheses of its own.
            let name = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(name + 1)...].split(separator: UInt8(ascii: " "))
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        guard fields.count > 19, let start = Int64(String(decoding: fields[19], as: UTF8.self)), ticks > 0 else {
            return nil
        }
        return .milliseconds(start * 1_000 / Int64(ticks))
    }
}
