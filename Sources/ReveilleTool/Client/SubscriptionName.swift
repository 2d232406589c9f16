// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Reveille
import ReveilleConsole
import ReveilleSystem

/// A reference to a subscription by its id or a unique prefix of it, or to those of one program by a name, the process id,
/// or the name of the program.
struct SubscriptionName {
    static let help: ArgumentHelp = """
        The program: the name of a subscription, the process id, or the name under which 'reveille run' has started \
        it; or one subscription: its id as 'reveille status' shows it, or a prefix of it.
        """
    /// The number of candidates that an error lists; the rest are counted.
    private static let shownCandidates = 8

    let text: String

    /// Returns the ids of all subscriptions of the program, or the one that the text identifies.
    ///
    /// - Throws: `Failure` if there is none, or if the text matches subscriptions of several processes.
    func ids(on device: Device) async throws -> [String] {
        let subscribers = try await device.shell.subscriptions()
        let found = named(among: subscribers)
        if found.isEmpty { return [try id(among: subscribers)] }
        let process = found[0].processID
        let hasOneProcess = process != 0 && found.allSatisfy { $0.processID == process }
        return subscribers.program(of: try hasOneProcess ? found[0].id : id(among: subscribers)).map(\.id)
    }

    /// Returns the ids of all subscriptions of the program, even if the text identifies one.
    func program(on device: Device) async throws -> [String] {
        let ids = try await ids(on: device)
        guard ids.count == 1 else { return ids }
        return try await device.shell.subscriptions().program(of: ids[0]).map(\.id)
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
