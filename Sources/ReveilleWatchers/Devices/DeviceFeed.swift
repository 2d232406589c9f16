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
        let changed: (Changes) -> Void
        let lost: () -> Void
        private let feed: DeviceFeed

        init(
            _ feed: DeviceFeed, subsystems: Set<String>, changed: @escaping (Changes) -> Void,
            lost: @escaping () -> Void
        ) {
            self.feed = feed
            self.subsystems = subsystems
            self.changed = changed
            self.lost = lost
        }

        deinit {
            feed.end(ObjectIdentifier(self))
        }
    }

    /// What happened to the devices of a watcher's subsystems, in any number of events that came together.
    package struct Changes: Sendable, Hashable {
        /// The devices that say that something in them changed.
        package var changed: Set<String> = []
        /// Devices came, went or were bound.
        package var isStructural = false
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
        to subsystems: Set<String>, changed: @escaping (Changes) -> Void, lost: @escaping () -> Void
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
        var changes: [String: Changes] = [:]
        var hasOverflowed = false
        loop: for _ in 0..<Self.eventsPerTurn {
            switch monitor?.receive() {
            case .event(let subsystem, let path, "change"):
                changes[subsystem, default: Changes()].changed.insert(path)
            case .event(let subsystem, _, let action):
                changes[subsystem, default: Changes()].isStructural = true
                if action == "remove" { removed.insert(subsystem) }
            case .overflow: hasOverflowed = true
            case .nothing, nil: break loop
            }
        }
        if !removed.isEmpty { afterRemoval?.fire(after: Self.afterlife) }
        for listener in listeners.values.compactMap(\.interest) {
            if hasOverflowed {
                listener.lost()
            } else {
                tell(listener, changes)
            }
        }
    }

    private func tell(_ listener: Interest, _ changes: [String: Changes]) {
        let own = changes.filter { listener.subsystems.contains($0.key) }.values
        guard !own.isEmpty else { return }
        listener.changed(
            own.reduce(into: Changes()) { all, one in
                all.changed.formUnion(one.changed)
                all.isStructural = all.isStructural || one.isStructural
            })
    }

    private func lookAgain() {
        let changes = Dictionary(uniqueKeysWithValues: removed.map { ($0, Changes(isStructural: true)) })
        removed = []
        for listener in listeners.values.compactMap(\.interest) { tell(listener, changes) }
    }
}
