// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A watch for mounts, which change what a path leads to without an event in any directory (proc(5)).
///
/// Loop thread only.
package final class MountWatch {
    /// How long changes are collected: a host of containers mounts dozens of times a second, and each start takes longer.
    private static let pause: Duration = .milliseconds(250)

    private let descriptor: OwnedDescriptor
    private var source: EventSource?
    private var timer: EventSource?
    private var isWaiting = false

    /// Starts watching; `changed` is called on the loop, once for all changes within the delay.
    package init(loop: EventLoop, changed: @escaping () -> Void) throws(SystemError) {
        descriptor = try OwnedDescriptor(opening: "/proc/thread-self/mountinfo", O_RDONLY | O_NOCTTY)
        timer = try loop.timer(priority: .watcher) { [weak self] in
            self?.isWaiting = false
            changed()
        }
        // poll(2) reports each change once to each reader, so the table itself need not be read.
        source = try loop.watch(descriptor.number, for: .changed, priority: .watcher) { [weak self] _ in
            self?.wait()
        }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    private func wait() {
        guard !isWaiting else { return }
        isWaiting = true
        timer?.fire(after: Self.pause)
    }
}
