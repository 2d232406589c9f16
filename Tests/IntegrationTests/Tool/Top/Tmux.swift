// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting

final class Tmux {
    /// Whether tmux is installed; required in CI.
    static let isAvailable = access("/usr/bin/tmux", X_OK) == 0 || Environment.all["CI"] != nil

    private let directory: TemporaryDirectory
    private let environment: [String: String]

    /// Starts a shell on a terminal of a size.
    init(
        columns: Int, rows: Int, in directory: TemporaryDirectory, environment: [String: String]
    ) throws {
        self.directory = directory
        // The server's address is a path in this directory, and its options are the defaults.
        self.environment = environment.merging(["PS1": "$ ", "ENV": "", "LC_ALL": "C.UTF-8", "TERM": "xterm"]) { $1 }
        try run(["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", directory.path, "sh"])
        // A key that comes before the shell's prompt is echoed twice, and the prompt stands where output is expected.
        try wait(for: "the shell's prompt") { $0 == "$" || $0 == "#" }
    }

    deinit {
        _ = try? run(["kill-server"])
    }

    func press(_ keys: String...) throws {
        try run(["send-keys"] + keys)
    }

    func resize(columns: Int, rows: Int) throws {
        try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines on the screen, without trailing spaces.
    func lines() throws -> [String] {
        try run(["capture-pane", "-p"]).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    func wait(for text: String, isLine: (String) -> Bool) throws {
        do {
            try IntegrationTests.wait(for: text, seconds: 30) { try lines().contains(where: isLine) }
        } catch {
            throw Trouble("\(error)\n" + (try lines().joined(separator: "\n")))
        }
    }

    func wait(for text: String) throws {
        try wait(for: text) { $0.contains(text) }
    }

    /// A property of the terminal, such as `cursor_flag` or `alternate_on`.
    func property(_ name: String) throws -> String {
        try run(["display-message", "-p", "#{\(name)}"]).split(separator: "\n").first.map(String.init) ?? ""
    }

    @discardableResult
    private func run(_ arguments: [String]) throws -> String {
        let run = try ProgramRun(
            ["-S", directory.path + "/tmux", "-f", "/dev/null"] + arguments, program: "/usr/bin/tmux", in: directory,
            environment: environment)
        guard run.code == 0 else { throw Trouble("tmux \(arguments): \(run.errors)") }
        return run.output
    }
}
