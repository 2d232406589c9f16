// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ReveilleConsole
import ReveilleSystem

struct RulesCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Run commands by a file of rules.",
        discussion: """
            A rule is a line, written as it would be typed after 'reveille on':

              battery 'level < 0.15 and plugged == false' -- notify-send "Battery low"
              orientation 'pose == faceDown' -- playerctl pause
              at 22:30 -- ./night-mode
              every 1h -- ./backup

            A rule runs its command each time its condition becomes true, even if that happened while this program did \
            not run. A condition that is already true when its rule is new runs nothing. The command receives the event as \
            a command of 'reveille on' does. 'at' and 'every' are entries of the schedule: all missed firings are one \
            run. Quotes, ~, $NAME and # for comments are those of a shell, and a backslash at its end continues a line.

            The file is read again when it changes. A wrong line is reported, and the others go on. The program ends when \
            the file is removed. The packages start it with the session once the file exists; the output of each command \
            is then in the journal: 'journalctl --user -t reveille-rules:LINE'.

            EXAMPLES
              reveille rules --check
              reveille rules --list
              reveille rules ./kiosk.rules
            """)

    @Argument(
        help: "The file. Default: reveille/rules in $XDG_CONFIG_HOME or in ~/.config.", completion: .file())
    var path: String?

    @Flag(help: "Check the rules and their commands, and exit: with 0 if all are valid, else with 78.")
    var check = false

    @Flag(help: "Print the rules, whether they are true now, and their last runs; and the lines with errors.")
    var list = false

    @Option(
        help:
            "The file that stores the rules' states. Default: in $XDG_STATE_HOME/reveille or ~/.local/state/reveille.",
        completion: .file())
    var state: String?

    @OptionGroup var bus: BusOptions

    func validate() throws {
        if check && list { throw ValidationError("--check cannot be combined with --list") }
        if state?.isEmpty == true { throw ValidationError("--state must not be empty") }
    }

    func perform() throws {
        let file = try RulesFile(path: absolutePath())
        if path == nil, access(file.path, F_OK) != 0, errno == ENOENT {
            throw Failure(
                .configuration, "there is no file of rules, \(file.path); 'reveille help rules' has an example")
        }
        let bytes = try Failure.coded(.configuration) { try RequiredFile.read(file.path, limit: RulesFile.sizeLimit) }
        if check { return try check(file, file.parse(bytes)) }
        let statePath = try state ?? file.statePath()
        let stateFile = CommandState(statePath, of: "rules")
        if list { return try RuleTable.print(file.parse(bytes), stateFile, bus) }
        StatePath.createDirectories(of: statePath)
        let lock = try FileLock.alone(statePath, "\(file.path): another 'reveille rules'", "follows these rules")
        let log = ProgramLog(of: "reveille", level: try Failure.coded(.usage) { try LogLevel.chosen(nil) })
        let stored = try stateFile.read(\RulesState.isValid) ?? RulesState()
        _ = try CommandSession.run { [bus] session, thread in
            try await RulesSession(file, stored, in: stateFile, log, session, on: thread).follow(bus)
        }
        withExtendedLifetime(lock) {}
    }

    private func absolutePath() throws(Failure) -> String {
        guard let path = path ?? ConfigurationPath.usual("rules") else {
            throw Failure(.usage, "$HOME is not set; name the file")
        }
        let directory = getcwd(nil, 0)
        defer { free(directory) }
        let base = path.utf8.first == UInt8(ascii: "/") ? "" : directory.map { String(cString: $0) } ?? ""
        return "/" + PathChain.names(of: base + "/" + path).filter { $0 != "." }.joined(separator: "/")
    }

    private func check(_ file: RulesFile, _ contents: RulesFile.Contents) throws(Failure) {
        let missing = contents.rules.compactMap { rule in rule.missingCommand.map { RuleError(rule.number, "\($0)") } }
        let wrong = contents.errors.count
        // Several rules can have one command.
        let commands = Set(missing.map(\.reason)).count
        let errors = (contents.errors + missing).sorted { $0.number < $1.number }
        for error in errors { Console.error("reveille: \(file.path): \(error)") }
        try Console.line("\(Count.text(contents.rules.count, "rule"))")
        guard errors.isEmpty else {
            let counts = [
                wrong == 0 ? nil : wrong == 1 ? "1 line is wrong" : "\(wrong) lines are wrong",
                commands == 0 ? nil : commands == 1 ? "1 command is missing" : "\(commands) commands are missing",
            ]
            throw Failure(.configuration, "\(file.path): \(counts.compactMap { $0 }.joined(separator: ", "))")
        }
    }
}
