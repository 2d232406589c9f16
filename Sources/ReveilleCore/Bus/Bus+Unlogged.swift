// SPDX-License-Identifier: Apache-2.0

/// A change for the log of the bus, and the user who published it, if known; one of a name that was tied to a connection
/// must not outlast the bus in a file.
package typealias UnloggedChange = (event: Event, isTied: Bool, user: UInt32?)

/// The changes that the log of the bus does not contain yet.
struct Unlogged: Sendable {
    /// The most changes of names taken at a time: some milliseconds of writing; the device has few changes.
    fileprivate static let limit = 512

    /// The sequence up to which changes were taken.
    var sequence = 0
    /// First readings, and changes of the device.
    fileprivate var device: [UnloggedChange] = []
    /// Changes of names, including forgotten ones.
    fileprivate var names: [UnloggedChange] = []

    init(after sequence: Int = 0) { self.sequence = sequence }
}

extension Bus {
    /// Returns the changes since the last call, in their order; a restored bus has logged those before.
    ///
    /// Samples are left out. A post costs nothing more: the changes are found here, in the logs of their aspects.
    package mutating func takeUnlogged() -> [UnloggedChange] {
        let last = nameTable.unlogged.sequence
        for index in logs.indices where logs[index].changes.current.sequence > last {
            keepUnlogged(of: index)
        }
        let unlogged = nameTable.unlogged
        nameTable.unlogged = Unlogged(after: sequence)
        let names = unlogged.names.sorted { $0.event.sequence < $1.event.sequence }.suffix(Unlogged.limit)
        return (unlogged.device + names).sorted { $0.event.sequence < $1.event.sequence }
    }

    /// Keeps the changes of a log, which may be about to be forgotten.
    mutating func keepUnlogged(of index: Int) {
        let (log, last) = (logs[index], nameTable.unlogged.sequence)
        guard log.isSaved else { return }
        let isName = log.aspect.isPublished
        for event in log.changes.events(limit: isName ? Unlogged.limit : nil, after: last, omitsSupply: false) {
            if isName {
                nameTable.unlogged.names.append((event, event.sequence <= log.tiedSequence, log.publisher?.user))
            } else {
                nameTable.unlogged.device.append((event, false, nil))
            }
        }
        let excess = nameTable.unlogged.names.count - Unlogged.limit
        if excess > Unlogged.limit { nameTable.unlogged.names.removeFirst(excess) }
    }

    /// Keeps the first reading of an aspect, which is not a change; one of settings or folders would list them all.
    mutating func keepFirstReading(of index: Int, at time: Timestamp) {
        guard let aspect = logs[index].aspect.builtIn, aspect.kind == .state, !aspect.isReportedInParts else { return }
        var event = logs[index].changes.state()
        (event.firstChangedAt, event.changedAt, event.sequence) = (time, time, sequence)
        nameTable.unlogged.device.append((event, false, nil))
    }
}
