// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import ReveilleWire

/// A file of rules, one a line.
struct RulesFile: Sendable {
    /// The largest file that is read, in bytes: thousands of rules.
    static let sizeLimit = 1 << 20
    static let prefix = "org.reveille.rules."

    /// The valid rules, and the errors of the other lines.
    struct Contents: Sendable {
        var rules: [Rule] = []
        var errors: [RuleError] = []
    }

    /// The path, absolute.
    let path: String

    /// The digest of the path, which is part of the names of the state and the entries of this file.
    private var digest: String { Self.digest(path) }

    /// The beginning of the names of all entries of the schedule that belong to this file.
    var entryPrefix: String { Self.prefix + digest + "." }

    func entryName(of text: String) -> Aspect {
        guard let name = Aspect(entryPrefix + Self.digest(text)) else { preconditionFailure("an entry without a name") }
        return name
    }

    func statePath() throws(Failure) -> String {
        try StatePath.usual("rules-\(digest).json", option: "--state")
    }

    /// Parses a file; a wrong or repeated line does not affect the others.
    func parse(_ bytes: [UInt8]) -> Contents {
        var contents = Contents()
        var lines: [String: Int] = [:]
        var aspects: Set<Aspect> = []
        for line in RuleLine.lines(of: String(decoding: bytes, as: UTF8.self)) {
            do throws(RuleError) {
                if let first = lines[line.text] { throw RuleError(line.number, "repeats line \(first)") }
                lines[line.text] = line.number
                let rule = try Rule(line, in: self)
                guard aspects.contains(rule.aspect) || aspects.count < BusInterface.aspectLimit else {
                    throw RuleError(
                        line.number,
                        "the rules of a file can have at most \(BusInterface.aspectLimit) aspects and times")
                }
                aspects.insert(rule.aspect)
                contents.rules.append(rule)
            } catch {
                contents.errors.append(error)
            }
        }
        return contents
    }

    private static func digest(_ text: String) -> String {
        String(Digest(of: Array(text.utf8)).value, radix: 36)
    }
}
