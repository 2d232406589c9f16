// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// The last changes of the aspects, as far as polls of a bus have returned them.
///
/// A poll asks for the newest change of an aspect, and for earlier changes only if some are missing. A poll costs the
/// bus a fraction of a subscription, because the bus need not watch the aspects.
struct TopHistories: Sendable {
    /// The number of changes kept for one aspect: as many as the widest line of changes shows.
    static let kept = 2 * TopColumns.widestLine
    /// The number of aspects whose history one poll requests, so that thousands of published names cost no more.
    static let aspectLimit = 64

    struct Entry: Sendable {
        /// The last changes, oldest first.
        var changes: [Event] = []
        /// The number of changes a second between the last two polls of the aspect; `nil` before the second one.
        var rate: Double?
        /// The time of the last poll, in microseconds since boot.
        var polledAt: Int64
    }

    /// A question to the bus: how many of the newest changes of an aspect.
    struct Question: Hashable, Sendable {
        var aspect: Aspect
        var limit: Int
    }

    /// The instance of the bus that the generations belong to.
    private(set) var instance: String?
    private(set) var entries: [Aspect: Entry] = [:]
    /// The states at the first poll of this instance: the values of all aspects without a change since.
    private(set) var states: [Aspect: Event] = [:]
    /// The last of the aspects that take turns.
    private var turn: Aspect?

    /// Returns the questions of the next poll: the aspects of the device, the visible aspects, and then the others in
    /// turn.
    mutating func questions(about aspects: [Aspect], visible: Set<Aspect>) -> [Question] {
        let asked = aspects.filter { $0 != .lifecycle && !$0.isPattern }
        var chosen = asked.filter { $0.builtIn != nil }
        let names = asked.filter { $0.builtIn == nil }
        chosen += names.filter(visible.contains).prefix(max(0, Self.aspectLimit - chosen.count))
        let others = names.filter { !visible.contains($0) }.sorted()
        let start = turn.flatMap { last in others.firstIndex { last < $0 } } ?? 0
        let inTurn = (others[start...] + others[..<start]).prefix(max(0, Self.aspectLimit - chosen.count))
        turn = inTurn.last ?? turn
        let present = Set(asked)
        entries = entries.filter { present.contains($0.key) }
        return (chosen + inTurn).map { Question(aspect: $0, limit: entries[$0] == nil ? Self.kept : 1) }
    }

    /// Returns the question for the changes between the known ones and a reply; `nil` if there are none.
    func followUp(to question: Question, _ changes: [Event], of instance: String) -> Question? {
        guard instance == self.instance, let known = entries[question.aspect]?.changes.last,
            let first = changes.first, first.generation - 1 > known.generation, question.limit < Self.kept
        else { return nil }
        return Question(
            aspect: question.aspect, limit: min(Self.kept, (changes.last ?? first).generation - known.generation))
    }

    /// Notes the newest changes of an aspect, oldest first, at a time in microseconds since boot.
    mutating func note(_ changes: [Event], of aspect: Aspect, instance: String, at now: Int64) {
        begin(instance)
        guard var entry = entries[aspect] else {
            entries[aspect] = Entry(changes: changes.suffix(Self.kept), polledAt: now)
            return
        }
        let known = entry.changes.last?.generation
        let newest = changes.last?.generation ?? known ?? 0
        if let known, newest < known {
            // The log of the aspect began again.
            entry.changes = []
        }
        let added = changes.filter { $0.generation > entry.changes.last?.generation ?? -1 }
        let before = entry.changes.last?.generation ?? (added.first?.generation).map { $0 - 1 } ?? newest
        entry.changes = Array((entry.changes + added).suffix(Self.kept))
        let seconds = Double(now - entry.polledAt) / 1_000_000
        if seconds > 0 { entry.rate = max(0, Double(newest) - Double(before)) / seconds }
        entry.polledAt = now
        entries[aspect] = entry
    }

    mutating func note(states: [Event], instance: String) {
        begin(instance)
        for state in states { self.states[state.aspect] = state }
    }

    /// The last change of an aspect, or its state before the first change.
    func last(of aspect: Aspect) -> Event? {
        entries[aspect]?.changes.last ?? states[aspect]
    }

    private mutating func begin(_ instance: String) {
        guard self.instance != instance else { return }
        self = TopHistories()
        self.instance = instance
    }
}
