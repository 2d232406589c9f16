// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux

/// An event source of an ``EventLoop``, which is released before its descriptor is closed; loop thread only.
package final class EventSource: LoopSource {
    /// The order of sources that are due at the same time.
    package enum Priority: Int, CaseIterable {
        /// Device and file changes, which a flood of calls must not delay.
        case watcher
        case normal
        /// Connections that are always busy. They wait for connections that are only occasionally busy.
        case flood
        /// Work that waits until nothing else is due.
        case idle
    }

    private let source: DueSource
    private let loop: EventLoop
    private let descriptor: Int32?
    private let owned: OwnedDescriptor?
    private var hasEnded = false

    init(_ source: DueSource, of loop: EventLoop, descriptor: Int32? = nil) {
        (self.source, self.loop, self.descriptor) = (source, loop, descriptor)
        owned = nil
    }

    init(_ source: DueSource, of loop: EventLoop, owning owned: consuming OwnedDescriptor) {
        (self.source, self.loop, descriptor) = (source, loop, owned.number)
        self.owned = consume owned
    }

    deinit {
        cancel()
    }

    package func cancel() {
        guard !hasEnded else { return }
        hasEnded = true
        loop.end(source, descriptor: descriptor)
    }

    package func fire(after duration: Duration) {
        guard !hasEnded else { return }
        let microseconds = EventLoop.microseconds(duration)
        let time = EventLoop.moment(in: microseconds, from: loop.bootClock)
        loop.set(source, at: time, accuracy: EventLoop.accuracy(microseconds))
    }

    package func disarm() {
        loop.set(source, at: .max, accuracy: 0)
    }

    package func setPriority(_ priority: Priority) { source.priority = priority }

    package func rearm(_ interest: EventLoop.Interest) {
        guard !hasEnded, let descriptor else { return }
        loop.rearm(source, descriptor: descriptor, interest)
    }
}
