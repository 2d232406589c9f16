// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleCore
import ReveilleSystem
import Testing

@testable import ReveilleTool

/// The lines of a rules file, and what is wrong with them.
@Suite struct RuleLineTests {
    private let file = RulesFile(path: "/home/u/.config/reveille/rules")

    private func parse(_ text: String) -> RulesFile.Contents { file.parse(Array(text.utf8)) }

    @Test("a line is what one types after 'reveille on'") func lineIsTyped() throws {
        let contents = parse(
            """
            # The battery.
            battery 'level < 0.15 and plugged == false' -- notify-send "Battery low" 'a # b'   # tail

               org.example.player "title == \\"a b\\"" \\
                   -- printf %s\\ %s \\
                   "$HOME" ~/x # no 'quote' is open
            at 7:30 -- sh -c 'echo $HOME; date'
            every 1h -- backup -- --all
            """)
        #expect(contents.errors.isEmpty, "\(contents.errors)")
        #expect(contents.rules.map(\.number) == [2, 4, 7, 8])
        #expect(contents.rules[0].aspect == Aspect(.battery))
        #expect(contents.rules[0].command == ["notify-send", "Battery low", "a # b"])
        let home = try #require(Environment["HOME"])
        #expect(contents.rules[1].command == ["printf", "%s %s", home, home + "/x"])
        #expect(contents.rules[2].command == ["sh", "-c", "echo $HOME; date"])
        #expect(contents.rules[2].entry?.calendar == CalendarRule(hour: 7, minute: 30, second: 0))
        #expect(contents.rules[3].command == ["backup", "--", "--all"])
        #expect(contents.rules[3].entry?.every == 3_600_000)
    }

    @Test("a comment does not end with a backslash") func commentIsNotContinued() {
        #expect(parse("# a \\\nat 7:30 -- true").rules.count == 1)
        #expect(parse("at 7:30 -- true \\").rules.count == 1)
        #expect(parse("at 7:30 -- true\r\nat 7:31 -- true\r\n").rules.map(\.command) == [["true"], ["true"]])
    }

    @Test(
        "a wrong line is reported with what was expected, and ends itself alone",
        arguments: [
            ("battery -- true", "a rule has the form ASPECT 'CONDITION' -- COMMAND, at TIME -- COMMAND"),
            ("battery 'level < 1'", "a rule has the form"),
            ("battery 'level < 1' --", "a rule has the form"),
            ("battery 'level < 1' -- ''", "a rule has the form"),
            ("defaults --domain -- true", "--domain: the domain is missing"),
            ("battery --domain app 'level < 1' -- true", "--domain requires the aspect defaults"),
            ("--count 3 battery 'level < 1' -- true", "--count: a rule has no options"),
            ("batery 'level < 1' -- true", "batery: an aspect must be"),
            ("lifecycle 'phase == active' -- true", "lifecycle:"),
            ("org.example.* 'a == 1' -- true", "org.example.*: a condition applies to one aspect, not to a pattern"),
            ("battery 'levle < 1' -- true", "levle: unknown field of battery; did you mean level?"),
            ("battery 'level < ' -- true", "level < : "),
            ("battery 'level < 12.5%' -- true", "use 0.125 instead of the '12.5%' at column 9"),
            ("defaults 'x == 1' -- true", "defaults has no condition; 'defaults --domain DOMAIN -- COMMAND' runs"),
            (
                "defaults \"dconf:/org/x/key == 'a'\" -- true",
                "defaults has no condition; 'defaults --domain dconf:/org/x/ -- COMMAND' runs for each change"
            ),
            ("folders 'x == 1' -- true", "folders has no condition; 'folders -- COMMAND' runs for each change"),
            ("dconf:/org/x/ 'x == 1' -- true", "is not an aspect; use defaults --domain dconf:/org/x/"),
            ("battery level<1 -- true", "must be in quotes"),
            ("battery 'level < 1 -- true", "a quote or a bracket is not closed"),
            ("battery 'level < 1' -- echo $(date)", "are not run"),
            ("battery 'level < 1' -- echo $NO_SUCH_VARIABLE_HERE", "is not set"),
            ("at 25:00 -- true", "25:00: it must be a time of day"),
            ("every 10 -- true", "10: it must be a whole number with a unit"),
            ("every 1ms -- true", "1ms: it must be"),
            ("at 7:30  -- true", "repeats line 1"),
            ("battery 'level < 1' -- a\0b", "a NUL character is not allowed"),
        ])
    func wrongLineIsReported(line: String, reason: String) {
        let contents = parse("at 7:30  -- true\n\(line)\nat 7:32 -- true")
        #expect(contents.errors.map(\.number) == [2])
        #expect(contents.errors.first?.reason.contains(reason) == true, "\(contents.errors)")
        #expect(contents.rules.map(\.number) == [1, 3])
    }

    @Test("more aspects than a subscription can have end the rules beyond") func aspectsAreLimited() {
        let lines = (0..<66).map { "org.example.n\($0) 'a == 1' -- true" } + ["org.example.n0 'a == 2' -- true"]
        let contents = parse(lines.joined(separator: "\n"))
        #expect(contents.errors.map(\.number) == [65, 66])
        #expect(contents.rules.count == 65)
    }

    @Test("the entries of two files, and of two rules, have names of their own") func entriesHaveNames() {
        let text = "at 7:30 -- true\nat 7:30 -- false"
        let names = [file, RulesFile(path: "/other")].flatMap { $0.parse(Array(text.utf8)).rules.map(\.aspect.name) }
        #expect(Set(names).count == 4)
        #expect(names.allSatisfy { $0.hasPrefix("org.reveille.rules.") })
        #expect(
            names
                == [file, RulesFile(path: "/other")].flatMap {
                    $0.parse(Array(("#\n" + text).utf8)).rules.map(\.aspect.name)
                })
    }
}
