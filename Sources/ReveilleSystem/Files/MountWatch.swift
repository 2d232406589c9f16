// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Notices that file systems were mounted or unmounted, by the table of mounts that this thread sees (proc(5)).
///
/// A mount changes what a path leads to, and no directory tells of it. Loop thread only.
package final class MountWatch {
    /// How long after a change it is told, with all others in that time.
    ///
    /// A host of containers mounts dozens of times a second; who starts one waits longer than this for it.
    private static let pause: Duration = .milliseconds(250)

    private let descriptor: OwnedDescriptor
    private var source: EventSource?
    private var timer: EventSource?
    private var isWaiting = false

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - loop: The loop on which `changed` is called.
    ///   - changed: Called once for any number of changes that came together.
    /// - Throws: `SystemError` where there is no such table.
    package init(loop: EventLoop, changed: @escaping () -> Void) throws(SystemError) {
        let path = "/proc/thread-self/mountinfo"
        let number = retryingOnInterrupt { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
        guard number >= 0 else { throw SystemError("open", on: path) }
        descriptor = OwnedDescriptor(number)
        timer = try loop.timer(priority: .watcher) { [weak self] in
            self?.isWaiting = false
            changed()
        }
        // Each change is told once to who waits; the table itself is not read.
        source = try loop.watch(number, for: .changed, priority: .watcher) { [weak self] _ in self?.wait() }
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
