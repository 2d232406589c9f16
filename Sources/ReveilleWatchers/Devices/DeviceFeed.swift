// SPDX-License-Identifier: Apache-2.0

import ReveilleHost
package import ReveilleSystem

/// Notifies watchers of changed devices, with one monitor for all of them.
///
/// The monitor is open while there are listeners. A watcher of other subsystems has a feed of its own, so that its
/// devices wake nobody else. Loop thread only.
package final class DeviceFeed {
    /// The subsystems of sensors and batteries.
    package static let usualSubsystems: Set<String> = ["power_supply", "typec", "iio", "input"]
    static let sensorSubsystems: Set<String> = ["iio", "input"]
    /// The most events that are taken before other sources have their turn.
    private static let eventsPerTurn = 256

    /// How long a device's files may outlive the event of its removal, which the kernel sends first (device_del).
    private static let afterlife: Duration = .milliseconds(100)

    /// The slow devices of the subsystems, whose readers share this feed.
    let slow = SlowDevices()
    private let loop: EventLoop
    /// The subsystems of all listeners; a monitor's filter cannot be widened.
    private let subsystems: Set<String>
    private var afterRemoval: EventSource?
    private var removed: Set<String> = []
    private var monitor: UdevMonitor?
    private var source: EventSource?
    private var listeners: [ObjectIdentifier: Listener] = [:]

    /// A watcher's interest in subsystems; ends when it is released.
    package final class Interest {
        private let feed: DeviceFeed

        fileprivate init(_ feed: DeviceFeed) {
            self.feed = feed
        }

        deinit {
            feed.end(ObjectIdentifier(self))
        }
    }

    /// The changes of a watcher's devices in all events that arrived together.
    package struct Changes: Sendable, Hashable {
        /// The devices that reported a change of their values.
        package var changed: Set<String> = []
        /// Whether devices were added, removed or bound.
        package var isStructural = false
        /// Whether events were lost, because the kernel's queue was full, and everything must be read again.
        package var areIncomplete = false
    }

    private struct Listener {
        let subsystems: Set<String>
        let changed: (Changes) -> Void
    }

    package init(loop: EventLoop, subsystems: Set<String> = usualSubsystems) {
        self.loop = loop
        self.subsystems = subsystems
    }

    /// Calls back once for all events of subsystems that arrived together, until the interest is released.
    package func listen(
        to subsystems: Set<String>, changed: @escaping (Changes) -> Void
    ) throws(SystemError) -> Interest {
        if monitor == nil { try open() }
        let interest = Interest(self)
        listeners[ObjectIdentifier(interest)] = Listener(subsystems: subsystems, changed: changed)
        return interest
    }

    /// Takes the events that have arrived, so that a reading of known devices misses none of them.
    func catchUp() {
        if monitor != nil { receive() }
    }

    private func open() throws(SystemError) {
        let monitor = try UdevMonitor(subsystems: subsystems)
        afterRemoval = try loop.timer(priority: .watcher, handler: weakly(self) { $0.reportRemovals() })
        source = try loop.watch(
            monitor.descriptor, for: .readable, priority: .watcher, handler: weakly(self) { feed, _ in feed.receive() })
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
        for listener in listeners.values {
            if hasOverflowed {
                listener.changed(Changes(isStructural: true, areIncomplete: true))
            } else {
                notify(listener, changes)
            }
        }
    }

    private func notify(_ listener: Listener, _ changes: [String: Changes]) {
        let own = changes.filter { listener.subsystems.contains($0.key) }.values
        guard !own.isEmpty else { return }
        listener.changed(
            Changes(
                changed: own.reduce(into: []) { $0.formUnion($1.changed) },
                isStructural: own.contains(where: \.isStructural)))
    }

    private func reportRemovals() {
        let changes = Dictionary(uniqueKeysWithValues: removed.map { ($0, Changes(isStructural: true)) })
        removed = []
        for listener in listeners.values { notify(listener, changes) }
    }
}
