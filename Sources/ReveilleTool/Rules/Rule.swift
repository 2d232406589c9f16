// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleCore
import ReveilleWire

/// A command, and when it runs.
struct Rule: Sendable {
    enum Occasion: Sendable {
        /// A condition on the aspect becomes true.
        case becomesTrue(Condition)
        /// The settings change, or the folders.
        case changes
        /// The entry of the schedule fires, which publishes the aspect.
        case fires(ScheduleEntry)
    }

    private static let timeWords = ["at", "every"]
    private static let domainOption = "--domain"
    private static let forms =
        "ASPECT 'CONDITION' -- COMMAND, at TIME -- COMMAND, every INTERVAL -- COMMAND, or defaults --domain DOMAIN -- COMMAND"
    /// How much of the rule's text is stored in its schedule entry, for people who list the schedule.
    private static let shownLength = 200

    /// The line of the file, from 1.
    let number: Int
    /// The rule's text, which is also its identity across restarts.
    let text: String
    let aspect: Aspect
    let occasion: Occasion
    /// The domains of the settings; `nil` for all.
    let domains: [String]?
    let command: [String]

    /// Parses a line; the entry of a rule with a time is named after the file and the text.
    init(_ line: RuleLine, in file: RulesFile) throws(RuleError) {
        (number, text) = (line.number, line.text)
        let words = try line.words()
        let head = words.prefix { $0 != "--" }
        let given = head.indices.filter { $0 > 0 && head[$0 - 1] == Self.domainOption }
        let main = head.indices.filter { head[$0] != Self.domainOption && !given.contains($0) }.map { head[$0] }
        if head.last == Self.domainOption { throw RuleError(number, "\(Self.domainOption): the domain is missing") }
        command = Array(words.dropFirst(head.count + 1))
        guard (1...2).contains(main.count), command.first?.isEmpty == false else {
            if let option = main.first(where: { $0.hasPrefix("-") }) {
                throw RuleError(number, "\(option): a rule has no options but \(Self.domainOption)")
            }
            throw RuleError(number, "a rule has the form \(Self.forms)")
        }
        do {
            (aspect, occasion) = try Self.occasion(main[0], main.dropFirst().first, of: text, in: file)
            domains = try DomainOptions.selection(given.map { head[$0] }, for: AspectSet(aspect))?.words
        } catch let error as ValidationError {
            let word = Self.timeWords.contains(main[0]) ? main.dropFirst().first : main[0]
            throw RuleError(number, "\(word ?? main[0]): \(error.message)")
        } catch {
            throw RuleError(number, "\(error)")
        }
    }

    /// Creates the rule of a command line.
    init(_ aspect: Aspect, _ occasion: Occasion, of domains: [String]?, running command: [String]) {
        (self.aspect, self.occasion, self.domains, self.command) = (aspect, occasion, domains, command)
        number = 1
        text = if case .becomesTrue(let condition) = occasion { condition.description } else { "" }
    }

    private static func occasion(
        _ word: String, _ argument: String?, of text: String, in file: RulesFile
    ) throws -> (Aspect, Occasion) {
        guard let argument else {
            guard !timeWords.contains(word), let aspect = Aspect(word), aspect.builtIn?.isReportedInParts == true else {
                throw ValidationError("a rule has the form \(forms)")
            }
            return (aspect, .changes)
        }
        switch word {
        case "at":
            let time = try ScheduleArgument.dayTime(argument)
            return try fires(
                file.entryName(of: text), text, calendar: CalendarRule(hour: time[0], minute: time[1], second: time[2]))
        case "every":
            return try fires(file.entryName(of: text), text, every: try ScheduleArgument.interval(argument))
        default:
            let aspect = try Aspect(argument: word)
            if aspect.isPattern { throw ValidationError("a condition applies to one aspect, not to a pattern") }
            if aspect.builtIn == .lifecycle {
                throw ValidationError("the lifecycle is a program's own, and a rule has none")
            }
            return (aspect, .becomesTrue(try Condition(argument: argument, for: aspect)))
        }
    }

    private static func fires(
        _ name: Aspect, _ text: String, every: Int64? = nil, calendar: CalendarRule? = nil
    ) throws -> (Aspect, Occasion) {
        let value = try PublishedValue(name, encoding: ["rule": String(text.prefix(shownLength))])
        let entry = try ScheduleEntry(id: name.name, aspect: name, value: value.bytes, every: every, calendar: calendar)
        return (name, .fires(entry))
    }

    var entry: ScheduleEntry? {
        if case .fires(let entry) = occasion { entry } else { nil }
    }

    var condition: Condition? {
        if case .becomesTrue(let condition) = occasion { condition } else { nil }
    }

    /// Whether the condition is true after a change; `nil` for a rule without one.
    func isTrue(after change: Event) -> Bool? {
        condition?.holds(for: ReadingCoding.encode(change.reading, settings: change.settings))
    }

    /// Why the command cannot be found; `nil` if it can.
    var missingCommand: Failure? {
        do throws(Failure) {
            try Program.check(command)
            return nil
        } catch {
            return error
        }
    }
}
