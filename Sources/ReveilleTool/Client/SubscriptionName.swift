// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleSystem

/// A reference to a subscription: its id or a unique prefix of it, its name, its process id, or the name of its program.
struct SubscriptionName {
    static let help: ArgumentHelp = """
        The subscription: its name, its process id, its id as 'reveille status' shows it, a prefix of its id, or the \
        name under which 'reveille run' has started its program.
        """
    /// The number of candidates that an error lists; the rest are counted.
    private static let shownCandidates = 8

    let text: String

    func id(on device: Device) async throws -> String {
        try id(among: try await device.shell.subscriptions())
    }

    /// Returns the ids of all subscriptions of the program behind the subscription.
    ///
    /// - Throws: `Failure` if there is none, or if the text matches subscriptions of several processes.
    func program(on device: Device) async throws -> [String] {
        let subscribers = try await device.shell.subscriptions()
        let found = named(among: subscribers)
        let process = found.first?.processID
        let hasOneProcess = process != 0 && found.allSatisfy { $0.processID == process }
        let id = try found.count > 1 && hasOneProcess ? found[0].id : id(among: subscribers)
        return subscribers.program(of: id).map(\.id)
    }

    /// Returns the subscriptions with the name or process id or, if there is none, of the programs with the name.
    private func named(among subscribers: [SubscriptionInfo]) -> [SubscriptionInfo] {
        let found = subscribers.filter { $0.name == text || String($0.processID) == text }
        return found.isEmpty
            ? subscribers.filter { ProgramScope(of: $0.processID)?.isNamed(text) == true } : found
    }

    /// Returns the id among all subscriptions of a bus; fails if none matches, or several do.
    func id(among subscribers: [SubscriptionInfo]) throws(Failure) -> String {
        if subscribers.contains(where: { $0.id == text }) { return text }
        var found = named(among: subscribers)
        if found.isEmpty, !text.isEmpty { found = subscribers.filter { $0.id.hasPrefix(text) } }
        switch found.count {
        case 1: return found[0].id
        case 0:
            let names = Array(Set(subscribers.compactMap(\.name))).sorted()
            let hint = Suggestion.phrase(for: text, among: names)
            throw Failure(
                .failure,
                "no subscription has the id, name or process id '\(text)'"
                    + (hint.isEmpty ? "; 'reveille status' lists them" : hint))
        default:
            let candidates = found.prefix(Self.shownCandidates).map { candidate in
                "\(candidate.id) (\(candidate.name ?? "no name"), pid \(candidate.processID))"
            }
            let more = found.count > candidates.count ? ", and \(found.count - candidates.count) more" : ""
            throw Failure(
                .usage, "'\(text)' matches \(found.count) subscriptions: \(candidates.joined(separator: ", "))\(more)")
        }
    }
}

extension [SubscriptionInfo] {
    /// Returns the subscriptions of the process that has a subscription; they are suspended together.
    func program(of id: String) -> [SubscriptionInfo] {
        let process = first { $0.id == id }?.processID
        // All processes of other PID namespaces have the process ID 0.
        return filter { $0.id == id || process != 0 && $0.processID == process }
    }
}
