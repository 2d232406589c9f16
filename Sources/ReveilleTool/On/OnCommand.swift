// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleCore
import ReveilleWire
import Varlink

struct OnCommand: GuardedCommand {
    static let configuration = CommandConfiguration(
        commandName: "on",
        abstract: "Run a command each time a condition becomes true.",
        usage: """
            reveille on [OPTIONS] ASPECT 'CONDITION' -- COMMAND [ARGUMENT ...]
            reveille on [OPTIONS] defaults [--domain DOMAIN ...] -- COMMAND [ARGUMENT ...]
            """,
        discussion: """
            The condition compares fields of the aspect, as 'reveille get ASPECT --json' prints them, with values: \
            numbers, words, "quoted text", true, false and null. The operators are == != < <= > >=, and comparisons \
            are combined with and, or, not and parentheses. A field of a field is written with a dot. null equals \
            only null, and other comparisons with a field that is null are false, except !=. Lists cannot be compared, \
            so defaults and folders have no condition: the command runs for each of their changes, and not at the \
            start. Changes that are merged run it once.

            The command runs once for each time that the condition becomes true, and at the start if it is true \
            then. Runs never overlap: runs that become due meanwhile follow one by one. The bus merges \
            the changes that occur meanwhile, or in the background, and 'on' looks them up in its history. Only \
            changes that the bus no longer remembers (bus.history) are missed.

            The command receives the event on stdin, as a line of JSON in the form of 'reveille watch --json', \
            and in its environment:

              REVEILLE_ASPECT   the aspect
              REVEILLE_CHANGES  the number of changes of the event; 0 at the start
              REVEILLE_EVENT    the event as JSON; unset if it is longer than 128 KiB

            A command that fails is reported on stderr and does not end 'on'. SIGHUP, SIGINT, SIGQUIT and SIGTERM are \
            passed on to a running command, and end 'on' after it. The exit code is 127 if the command cannot be started.

            EXAMPLES
              reveille on battery 'level < 0.1 and plugged == false' -- notify-send low
              reveille on proximity 'state == near' -- swaylock
              reveille on orientation 'pose == faceDown' -- sh -c 'jq .changedAt >>times'
              reveille on org.example.player 'title != null' -- ./announce
              reveille on defaults --domain dconf:/org/gnome/desktop/interface/ -- ./restyle
            """)

    @Argument(
        help: "The aspect, or a published name.", completion: Aspect.completion, transform: Aspect.init(argument:))
    var aspect: Aspect

    @Argument(help: "The condition; none for defaults and folders.")
    var condition: String?

    @OptionGroup var domains: DomainOptions

    @Option(
        parsing: .unconditional,
        help: "Exit after this many runs, with the exit code of the last one; ending earlier is a failure.",
        transform: Count.parse)
    var count: Int?

    @Option(
        help: """
            A file that stores whether the condition is true, and the position in the stream, for one run at a time. \
            The next run with this file continues from there, and runs the command only if the condition has become true since then. A \
            command that was killed by the signal that ended 'on', or with it, is run again.
            """, completion: .file())
    var state: String?

    @OptionGroup var bus: BusOptions

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if aspect.isPattern { throw ValidationError("\(aspect): a condition applies to one aspect, not to a pattern") }
        _ = try domains.selection(for: AspectSet(aspect))
        if condition == nil, aspect.builtIn?.isReportedInParts != true {
            throw ValidationError("Missing expected argument '<condition>'")
        }
        if command.isEmpty { throw ValidationError("missing command: reveille on ASPECT 'CONDITION' -- COMMAND") }
        if state?.isEmpty == true { throw ValidationError("--state must not be empty") }
    }

    func perform() throws {
        let occasion =
            try condition.map { Rule.Occasion.becomesTrue(try Condition(argument: $0, for: aspect)) } ?? .changes
        let domains = try domains.selection(for: AspectSet(aspect))?.words
        let rule = Rule(aspect, occasion, of: domains, running: command)
        try Program.check(command)
        let file = state.map { CommandState($0, of: "on") }
        let lock = try file?.alone()
        let stored = OnState.state(of: rule, storedAs: try file?.read(\.isValid))
        let ending = try CommandSession.run { [count, bus] session, thread in
            try await OnSession(rule, stored, in: file, count: count, session).follow(try await bus.device(on: thread))
        }
        withExtendedLifetime(lock) {}
        // A script must not continue as if the condition had become true.
        if count != nil { ending.endProcess() }
    }
}

extension Condition {
    /// Parses a condition and checks it against the states of an aspect; suggests a field or word for a misspelled one.
    init(argument: String, for aspect: Aspect) throws(Failure) {
        if aspect.builtIn?.isReportedInParts == true {
            let word = argument.prefix { !$0.isWhitespace }
            let domain = word.hasPrefix("dconf:") ? word.lastIndex(of: "/").map { word[...$0] } : nil
            let option = aspect == .defaults ? " --domain \(domain ?? "DOMAIN")" : ""
            throw Failure(.usage, "\(aspect) has no condition; '\(aspect)\(option) -- COMMAND' runs for each change")
        }
        do throws(ConditionError) {
            try self.init(parsing: argument)
        } catch {
            let prefix = argument.allSatisfy(\.isWhitespace) ? "" : argument + ": "
            throw Failure(.usage, prefix + error.reason)
        }
        do throws(ConditionError) {
            try check(for: aspect.name)
        } catch {
            var hint = Suggestion.phrase(for: error.word, among: error.candidates)
            if hint.isEmpty, !error.candidates.isEmpty {
                hint = ", which has \(Suggestion.list(error.candidates, "and"))"
            }
            throw Failure(.usage, error.reason + hint)
        }
        guard let builtIn = aspect.builtIn else { return }
        for comparison in comparisons { try comparison.check(in: builtIn) }
    }
}

extension Condition.Comparison {
    fileprivate func check(in aspect: BuiltInAspect) throws(Failure) {
        switch aspect.values(of: field) {
        case .words(let words, _):
            if let word = literal.stringValue, !words.contains(word) { throw aspect.refusing(word, for: field) }
        case .level:
            if let level = literal.numberValue, !(0...1 ~= level) {
                throw aspect.refusing(writtenLiteral, for: field)
            }
        case .flag, .bool, .text, .number, .list, .other, nil: break
        }
    }
}
