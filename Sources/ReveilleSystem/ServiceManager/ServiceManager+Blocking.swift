// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CSystemd
import Glibc

extension ServiceManager {
    /// The time that ``thawNow(_:)`` waits.
    ///
    /// A service that ends has 90 seconds by default, a user less patience.
    private static let lastPatience: Duration = .seconds(1)

    /// Thaws units without a loop, before this process ends.
    ///
    /// It returns when the manager has replied to all calls, or after a second. Its result is visible in the cgroups.
    package func thawNow(_ units: [String]) {
        guard !units.isEmpty, let connection = try? DBusConnection(to: bus, loop: loop) else { return }
        var waiting = units.count
        for unit in units {
            do throws(SystemError) {
                try connection.call(
                    Self.service, Self.path, Self.interface, "ThawUnit", [.string(unit)], timeout: Self.lastPatience
                ) { _ in waiting -= 1 }
            } catch {
                waiting -= 1
            }
        }
        let end = EventLoop.moment(in: EventLoop.microseconds(Self.lastPatience), from: loop.bootClock)
        while waiting > 0, loop.bootClock < end, connection.process(until: end, on: loop.bootClock) {}
    }
}
