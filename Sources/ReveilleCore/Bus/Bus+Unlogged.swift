// SPDX-License-Identifier: Apache-2.0

/// A change for the log of the bus; one of a name that was tied to a connection must not outlast the bus in a file.
package typealias UnloggedChange = (event: Event, isTied: Bool)

/// What the log of the bus lacks.
struct Unlogged: Sendable {
    /// The most changes that are kept here, and that are taken at a time: some milliseconds of writing.
    fileprivate static let limit = 512

    /// The sequence up to which changes were taken.
    var sequence = 0
    /// The changes of names that were forgotten, and first readings.
    fileprivate var changes: [UnloggedChange] = []

    init(after sequence: Int = 0) { self.sequence = sequence }
}

extension Bus {
    /// Returns the changes since the last call, in their order; a restored bus has logged those before.
    ///
    /// Samples are left out. A post costs nothing more: the changes are found here, in the logs of their aspects.
    package mutating func takeUnlogged() -> some Sequence<UnloggedChange> {
        let last = nameTable.unlogged.sequence
        for index in logs.indices where logs[index].changes.current.sequence > last { keepUnlogged(of: index) }
        defer { nameTable.unlogged = Unlogged(after: sequence) }
        return nameTable.unlogged.changes.sorted { $0.event.sequence < $1.event.sequence }.suffix(Unlogged.limit)
    }

    /// Keeps the changes of a log, which may be about to be forgotten.
    mutating func keepUnlogged(of index: Int) {
        let (log, last) = (logs[index], nameTable.unlogged.sequence)
        guard log.isSaved else { return }
        for event in log.changes.events(limit: max(1, sequence - last), omitsSupply: false) where event.sequence > last
        {
            nameTable.unlogged.changes.append((event, log.wasTied))
        }
        let excess = nameTable.unlogged.changes.count - Unlogged.limit
        if excess > Unlogged.limit { nameTable.unlogged.changes.removeFirst(excess) }
    }

    /// Keeps the first reading of an aspect, which is not a change; that of settings would list them all.
    mutating func keepFirstReading(of index: Int, at time: Timestamp) {
        guard let aspect = logs[index].aspect.builtIn, aspect.kind == .state, !aspect.isReportedInParts else { return }
        var event = logs[index].changes.state()
        (event.firstChangedAt, event.changedAt, event.sequence) = (time, time, sequence)
        nameTable.unlogged.changes.append((event, false))
    }
}
