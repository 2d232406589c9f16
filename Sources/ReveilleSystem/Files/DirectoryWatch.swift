// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A watch on directories and their entries, based on inotify(7).
///
/// It never watches files: such a watch follows the file rather than its name, and ends with the first atomic
/// replacement. A directory's watch also ends when the directory is removed; the owner is notified and must add
/// the path again. Loop thread only.
package final class DirectoryWatch {
    /// The events to receive for a directory.
    package enum Interest: Comparable {
        /// Moves, deletion and mode changes of the directory itself.
        case itself
        /// Changes of its entries as well.
        case entries

        fileprivate var mask: UInt32 {
            let itself = IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB
            let entries = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE
            return UInt32(self == .itself ? itself : itself | entries) | UInt32(IN_ONLYDIR)
        }
    }

    package enum Event: Sendable, Hashable {
        case entry(directory: String, name: String, Kind)
        /// An entry changed whose name is not valid UTF-8.
        case unreadableName(directory: String)
        /// The mode or owner of the directory itself changed.
        case attributes(directory: String)
        /// The directory was moved, deleted or unmounted, and is no longer watched.
        case gone(directory: String)
        /// Events were lost; anything may have changed.
        case overflow
    }

    package enum Kind: Sendable, Hashable {
        case created, modified, closedAfterWriting, movedTo, movedFrom, deleted, attributes
    }

    private struct Watched {
        var number: Int32
        var interest: Interest
    }

    private let descriptor: OwnedDescriptor
    private let handler: (Event) -> Void
    private var source: EventSource?
    private var watched: [ExactText: Watched] = [:]
    // Several paths may lead to one directory, and the kernel has a single watch for it.
    private var paths: [Int32: Set<ExactText>] = [:]

    /// Creates a watch without any directories; `handler` is called on the loop for each event, in order.
    package init(loop: EventLoop, handler: @escaping (Event) -> Void) throws(SystemError) {
        let number = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard number >= 0 else { throw SystemError("inotify_init1") }
        descriptor = OwnedDescriptor(number)
        self.handler = handler
        source = try loop.watch(number, for: .readable, priority: .watcher) { [weak self] _ in self?.read() }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    /// Watches the directory that a path currently leads to; a later call follows the path again.
    ///
    /// - Returns: Whether the call added a directory or widened its interest.
    /// - Throws: `SystemError`: ENOENT or ENOTDIR without a directory, EACCES, or ENOSPC at the user's limit.
    @discardableResult
    package func add(_ path: String, interest: Interest) throws(SystemError) -> Bool {
        let key = ExactText(path)
        // For a directory already watched under another path, the kernel replaces the mask; never narrow it.
        let widest = max(interest, watched[key]?.interest ?? interest)
        var number = inotify_add_watch(descriptor.number, path, widest.mask)
        guard number >= 0 else { throw SystemError("inotify_add_watch", on: path) }
        let others = (paths[number] ?? []).compactMap { watched[$0]?.interest }
        if let other = others.max(), other > widest {
            number = inotify_add_watch(descriptor.number, path, other.mask)
            guard number >= 0 else { throw SystemError("inotify_add_watch", on: path) }
        }
        if let old = watched[key] {
            if old.number == number, old.interest >= interest { return false }
            if old.number != number { remove(path) }
        }
        watched[key] = Watched(number: number, interest: widest)
        paths[number, default: []].insert(key)
        return true
    }

    /// Stops watching a path; does nothing for a path that is not watched.
    package func remove(_ path: String) {
        let key = ExactText(path)
        guard let old = watched.removeValue(forKey: key) else { return }
        paths[old.number]?.remove(key)
        guard paths[old.number]?.isEmpty ?? false else { return }
        paths[old.number] = nil
        // This fails if the directory is gone; the kernel has then already dropped the watch.
        inotify_rm_watch(descriptor.number, old.number)
    }

    /// Handles the events of all changes so far, without waiting for the loop.
    package func readPending() {
        for _ in 0..<Self.pendingReads where !read() { return }
    }

    /// The most reads for pending events: enough for the kernel's longest queue of short names.
    private static let pendingReads = 64

    /// Handles the next events, and returns whether there were any.
    @discardableResult
    private func read() -> Bool {
        // Room for about a hundred events; the loop calls again while more are pending.
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            guard let start = buffer.baseAddress else { return false }
            let count = retryingOnInterrupt { Glibc.read(descriptor.number, start, buffer.count) }
            guard count > 0 else { return false }
            for event in InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                handle(event.watch, event.mask, event.name)
            }
            return true
        }
    }

    private func handle(_ number: Int32, _ mask: UInt32, _ name: String?) {
        func has(_ flag: Int32) -> Bool { mask & UInt32(bitPattern: flag) != 0 }
        if has(Int32(IN_Q_OVERFLOW)) { return handler(.overflow) }
        // Events of a removed watch may still be queued.
        guard let directories = paths[number] else { return }
        // The handler may replace the watch of a later directory in this list.
        for key in directories where watched[key]?.number == number {
            let directory = key.text
            if has(Int32(IN_IGNORED | IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT)) {
                remove(directory)
                handler(.gone(directory: directory))
            } else if name == "" {
                if has(Int32(IN_ATTRIB)) { handler(.attributes(directory: directory)) }
            } else if let kind = Self.kind(mask) {
                handler(
                    name.map { .entry(directory: directory, name: $0, kind) }
                        ?? .unreadableName(directory: directory))
            }
        }
    }

    private static func kind(_ mask: UInt32) -> Kind? {
        switch Int32(bitPattern: mask & ~UInt32(IN_ISDIR)) {
        case Int32(IN_CREATE): .created
        case Int32(IN_MODIFY): .modified
        case Int32(IN_CLOSE_WRITE): .closedAfterWriting
        case Int32(IN_MOVED_TO): .movedTo
        case Int32(IN_MOVED_FROM): .movedFrom
        case Int32(IN_DELETE): .deleted
        case Int32(IN_ATTRIB): .attributes
        default: nil
        }
    }
}
