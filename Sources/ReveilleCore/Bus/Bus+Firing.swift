// SPDX-License-Identifier: Apache-2.0

/// The slots of an entry of the schedule that fire at one time, as one or more changes of its name.
package struct Firing: Sendable, Hashable {
    /// The most slots: one each second from 1970 to 9999, including the first.
    package static let most = Int(ScheduleEntry.lastTime / 1_000_000) + 1

    package var instance: String
    /// The number of the firing on the bus, from 1.
    package var number: Int
    package var value: PublishedValue
    /// The owner of the entry, who publishes it.
    package var user: UInt32
    /// The number of slots; each slot is a change.
    package var times: Int
    /// The generation of the name before the firing.
    package var before: Int
    /// The sequence of the last change.
    package var sequence: Int
    package var time: Timestamp

    package init(
        instance: String, number: Int, value: PublishedValue, user: UInt32, times: Int, before: Int, sequence: Int,
        time: Timestamp
    ) {
        self.instance = instance
        self.number = number
        self.value = value
        self.user = user
        self.times = times
        self.before = before
        self.sequence = sequence
        self.time = time
    }
}

extension Bus {
    /// Returns a firing of at least one slot, to follow earlier firings that are not on the bus yet.
    ///
    /// The bus has not changed since the earlier firings were made. The result is for ``fire(_:)``.
    package func firing(
        of value: PublishedValue, times: Int, by user: UInt32, at time: Timestamp, after earlier: [Firing]
    ) -> Firing {
        let sequence = earlier.last?.sequence ?? sequence
        let before =
            earlier.last { $0.value.name == value.name }.map { $0.before + $0.times }
            ?? log(of: value.name).map { logs[$0].changes.current.generation } ?? sequence
        return Firing(
            instance: instance, number: (earlier.last?.number ?? firings) + 1, value: value, user: user,
            times: times, before: before, sequence: sequence + times, time: time)
    }

    /// Publishes the value of a firing, once for each of its slots; each is a change, even of an equal value.
    ///
    /// The bus must not have changed otherwise since ``firing(of:times:by:at:after:)``.
    package mutating func fire(_ firing: Firing) {
        let name = firing.value.name
        let index = nameTable.logs[name] ?? addLog(of: name, at: firing.time)
        let wasLive = logs[index].isLive
        if logs[index].isVacant { addEntriesOfPatterns(to: index) }
        assign(index, to: Publisher(user: firing.user))
        sequence += firing.times
        firings = firing.number
        logs[index].changes.append(
            firing.value, times: firing.times, areFirings: true, sequence: sequence, at: firing.time)
        if !wasLive { nameTable.counts[firing.user, default: NameCount()].live += 1 }
        notifyListeners(of: index)
    }
}
