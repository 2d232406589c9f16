// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem

/// The process that serves a bus, as /proc describes it.
struct ServingProcess {
    let pid: Int32
    let uptime: Duration
    /// The file of `--config` or `$REVEILLE_CONFIG`; `nil` if the defaults are in force, or the environment is not visible.
    let configuration: String?
    let isEnvironmentVisible: Bool

    /// Inspects a process.
    ///
    /// - Parameter pid: The listening process according to the kernel. It is not necessarily the bus, because a
    ///   supervisor or an earlier bus may have created the socket. The result is `nil` unless the process runs `serve`.
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
        let variables = Self.words(of: pid, in: "environ")
        isEnvironmentVisible = variables != nil
        let variable = "REVEILLE_CONFIG="
        let usual = variables?.first { $0.hasPrefix(variable) && $0 != variable }
            .map { String($0.dropFirst(variable.count)) }
        let path = (configuration ?? usual).map { Self.absolute($0, of: pid) }
        self.configuration = path.flatMap { configuration != nil || access($0, F_OK) == 0 ? $0 : nil }
    }

    /// The uptime in its two largest units: `3 d 4 h`, `12 min 5 s`.
    var uptimeText: String {
        let seconds = uptime.components.seconds
        let parts: [(count: Int64, unit: String)] = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let first = parts.firstIndex { $0.count > 0 } ?? parts.count - 1
        return parts[first...].prefix(2).map { "\($0.count) \($0.unit)" }.joined(separator: " ")
    }

    /// Returns a process's program and arguments, followed by an empty string; `nil` if the process has ended.
    static func arguments(of pid: Int32) -> [String]? { words(of: pid, in: "cmdline") }

    private static func words(of pid: Int32, in file: String) -> [String]? {
        guard case .bytes(let bytes) = FileContents.read("/proc/\(pid)/\(file)", limit: 1 << 20) else { return nil }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func absolute(_ path: String, of pid: Int32) -> String {
        guard !path.hasPrefix("/"), let directory = realpath("/proc/\(pid)/cwd", nil) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    /// Returns the start time since boot, which the kernel reports in clock ticks.
    private static func start(of pid: Int32) -> Duration? {
        let ticks = sysconf(Int32(_SC_CLK_TCK))
        guard let start = ProcessIdentity(of: pid)?.start, ticks > 0 else { return nil }
        return .milliseconds(Int64(start) * 1_000 / Int64(ticks))
    }
}
