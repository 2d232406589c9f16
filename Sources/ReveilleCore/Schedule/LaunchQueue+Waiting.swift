// SPDX-License-Identifier: Apache-2.0

extension LaunchQueue {
    /// The firings of a name that a program is started for.
    package struct Waiting: Sendable, Hashable {
        /// The value of the last firing.
        package var value: PublishedValue
        /// The owner of the entry.
        package var user: UInt32
        package var times: Int
        /// The generation of the name before the first firing.
        package var before: Int
        /// The generation of the name after the last firing.
        package var through: Int

        package init(value: PublishedValue, user: UInt32, times: Int, before: Int, through: Int) {
            self.value = value
            self.user = user
            self.times = times
            self.before = before
            self.through = through
        }

        package init(_ firing: Firing) {
            self.init(
                value: firing.value, user: firing.user, times: firing.times, before: firing.before,
                through: firing.before + firing.times)
        }

        package mutating func add(_ later: Waiting) {
            value = later.value
            user = later.user
            // Both can come from a file.
            times = min(times, Firing.most) + min(later.times, Firing.most)
            through = later.through
        }
    }
}
