// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleCore
import ReveilleSystem
import Varlink

/// The published name of an entry whose user gave none, and its command, which knows nothing of the bus.
struct OwnName {
    static let prefix = "org.reveille.schedule."

    let name: Aspect

    init(id: String) throws(Failure) {
        guard let name = Aspect(Self.prefix + id), name.isPublished else {
            throw Failure(
                .usage,
                "\(id): missing NAME: \(Self.prefix)ID is one only if the ID consists of letters, digits, - and _")
        }
        self.name = name
    }

    /// Returns a command that subscribes to the name, runs another once, and ends.
    ///
    /// The bus would start the other again, since it does not subscribe.
    func wrap(_ command: [String]) -> [String] {
        [ChildProcess.sibling("reveille"), "on", name.name] + Self.arguments + command
    }

    /// Returns the user's command from one that ``wrap(_:)`` has returned.
    static func unwrap(_ command: [String]) -> [String] {
        let start = 3 + arguments.count
        let isWrapped =
            command.count > start && command[1] == "on" && command[2].hasPrefix(prefix)
            && Array(command[3..<start]) == arguments
        return isWrapped ? Array(command[start...]) : command
    }

    /// A condition that is true for each value, and a single run.
    private static let arguments = ["due != false or due == false", "--count", "1", "--"]
}

extension Aspect {
    /// The beginnings of the names that the bus and this program choose for themselves, which mean nothing to a person.
    private static let ownPrefixes = [RulesFile.prefix, OwnName.prefix, "org.reveille.wake."]

    /// Whether the name is one of these, so that lists leave it out unless they are asked for all.
    var isOwn: Bool { self == .alarm || Self.ownPrefixes.contains(where: name.hasPrefix) }

    /// The name in a line about a change: the name of a rule is a digest, and its value is the rule.
    var shownName: String { name.hasPrefix(RulesFile.prefix) ? "rule" : name }

    /// Returns the line of the rule whose entry publishes a value; `nil` for the value of another name.
    func rule(in value: [UInt8]?) -> String? {
        shownName == name ? nil : value.flatMap { try? JSON.parse($0) }?.objectValue?["rule"]?.stringValue
    }
}
