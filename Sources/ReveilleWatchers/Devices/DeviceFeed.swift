// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleSystem

/// Tells the watchers that devices of their subsystems changed: one monitor for all of them.
///
/// It is open while anybody is interested. Loop thread only.
package final class DeviceFeed {
    /// All that any watcher asks for; a monitor's filter cannot be widened.
    private static let subsystems: Set<String> = ["power_supply", "typec", "iio", "input"]
    /// Events taken before others have their turn.
    private static let eventsPerTurn = 256

    /// How long the files of a device may outlive the event of its removal.
    ///
    /// The kernel sends it before it takes the directory away (device_del); a listener can be faster.
    private static let afterlife: Duration = .milliseconds(100)

    private let loop: EventLoop
    private var afterRemoval: EventSource?
    private var removed: Set<String> = []
    private var monitor: UdevMonitor?
    private var source: EventSource?
    private var listeners: [ObjectIdentifier: Weak] = [:]

    /// A watcher's interest; ends when it is released.
    package final class Interest {
        let subsystems: Set<String>
        let changed: () -> Void
        let lost: () -> Void
        private let feed: DeviceFeed

        init(_ feed: DeviceFeed, subsystems: Set<String>, changed: @escaping () -> Void, lost: @escaping () -> Void) {
            self.feed = feed
            self.subsystems = subsystems
            self.changed = changed
            self.lost = lost
        }

        deinit {
            feed.end(ObjectIdentifier(self))
        }
    }

    private struct Weak {
        weak var interest: Interest?
    }

    /// Makes a feed that is not open yet.
    package init(loop: EventLoop) {
        self.loop = loop
    }

    /// Listens to subsystems.
    ///
    /// - Parameters:
    ///   - subsystems: Some of those that the feed knows.
    ///   - changed: Called once for any number of events that came together.
    ///   - lost: Called when the kernel's queue ran over: everything is to be read again.
    /// - Returns: What keeps the interest up.
    /// - Throws: `SystemError` when there is no monitor to be had.
    package func listen(
        to subsystems: Set<String>, changed: @escaping () -> Void, lost: @escaping () -> Void
    ) throws(SystemError) -> Interest {
        if monitor == nil { try open() }
        let interest = Interest(self, subsystems: subsystems, changed: changed, lost: lost)
        listeners[ObjectIdentifier(interest)] = Weak(interest: interest)
        return interest
    }

    private func open() throws(SystemError) {
        let monitor = try UdevMonitor(subsystems: Self.subsystems)
        afterRemoval = try loop.timer(priority: .watcher) { [weak self] in self?.lookAgain() }
        source = try loop.watch(monitor.descriptor, for: .readable, priority: .watcher) { [weak self] _ in
            self?.receive()
        }
        self.monitor = monitor
    }

    private func end(_ interest: ObjectIdentifier) {
        listeners[interest] = nil
        guard listeners.isEmpty else { return }
        source?.cancel()
        source = nil
        afterRemoval = nil
        monitor = nil
    }

    private func receive() {
        var changed: Set<String> = []
        var hasOverflowed = false
        loop: for _ in 0..<Self.eventsPerTurn {
            switch monitor?.receive() {
            case .change(let subsystem, let isRemoval):
                changed.insert(subsystem)
                if isRemoval { removed.insert(subsystem) }
            case .overflow: hasOverflowed = true
            case .nothing, nil: break loop
            }
        }
        if !removed.isEmpty { afterRemoval?.fire(after: Self.afterlife) }
        for listener in listeners.values.compactMap(\.interest) {
            if hasOverflowed {
                listener.lost()
            } else if !listener.subsystems.isDisjoint(with: changed) {
                listener.changed()
            }
        }
    }

    private func lookAgain() {
        let subsystems = removed
        removed = []
        for listener in listeners.values.compactMap(\.interest)
        where !listener.subsystems.isDisjoint(with: subsystems) {
            listener.changed()
        }
    }
}
