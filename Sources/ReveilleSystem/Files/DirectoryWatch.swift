// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Watches directories for what happens to their entries and to themselves, on inotify(7).
///
/// Files are never watched: a watch of a file follows the file, not the name, and dies with the first
/// atomic replace. A directory's watch dies too when the directory goes; who watches it is told and adds
/// the path again. Loop thread only.
package final class DirectoryWatch {
    /// What of a directory to hear of.
    package enum Interest: Comparable {
        /// That the directory itself was moved or deleted, or its mode changed.
        case itself
        /// What happens to its entries as well.
        case entries

        fileprivate var mask: UInt32 {
            let itself = IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB
            let entries = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE
            return UInt32(self == .itself ? itself : itself | entries) | UInt32(IN_ONLYDIR)
        }
    }

    /// What happened.
    package enum Event: Sendable, Hashable {
        /// Something happened to the entry of this name.
        case entry(directory: String, name: String, Kind)
        /// The mode or owner of the directory itself changed.
        case attributes(directory: String)
        /// The directory was moved, deleted or unmounted; it is watched no longer.
        case gone(directory: String)
        /// Events were lost: anything may have happened anywhere.
        case overflow
    }

    /// What happened to an entry.
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
    private var watched: [String: Watched] = [:]
    // Two paths may lead to one directory, for which the kernel has one watch.
    private var paths: [Int32: Set<String>] = [:]

    /// Starts to watch nothing yet.
    ///
    /// - Parameters:
    ///   - loop: The loop on which events are handled, before what is not a watcher's.
    ///   - handler: Gets each event, in order.
    /// - Throws: `SystemError` when the user's inotify instances are used up (EMFILE).
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

    /// Watches the directory that a path leads to now; again for the one that it leads to then.
    ///
    /// - Returns: Whether that is a directory, or an interest in it, that was not watched before.
    /// - Throws: `SystemError`: ENOENT and ENOTDIR when there is none, EACCES, ENOSPC at the user's limit.
    @discardableResult
    package func add(_ path: String, interest: Interest) throws(SystemError) -> Bool {
        // The kernel replaces the mask of a directory that is watched under another path too: never narrow it.
        let widest = max(interest, watched[path]?.interest ?? interest)
        var number = inotify_add_watch(descriptor.number, path, widest.mask)
        guard number >= 0 else { throw SystemError("inotify_add_watch", on: path) }
        let others = (paths[number] ?? []).compactMap { watched[$0]?.interest }
        if let other = others.max(), other > widest {
            number = inotify_add_watch(descriptor.number, path, other.mask)
            guard number >= 0 else { throw SystemError("inotify_add_watch", on: path) }
        }
        if let old = watched[path] {
            if old.number == number, old.interest >= interest { return false }
            if old.number != number { remove(path) }
        }
        watched[path] = Watched(number: number, interest: widest)
        paths[number, default: []].insert(path)
        return true
    }

    /// Watches a path no longer; one that is not watched is left alone.
    package func remove(_ path: String) {
        guard let old = watched.removeValue(forKey: path) else { return }
        paths[old.number]?.remove(path)
        guard paths[old.number]?.isEmpty ?? false else { return }
        paths[old.number] = nil
        // It fails for a directory that is gone already, whose watch the kernel has dropped.
        inotify_rm_watch(descriptor.number, old.number)
    }

    private func read() {
        // Room for some hundred events; the loop calls again while there are more.
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            guard let start = buffer.baseAddress else { return }
            let count = retryingOnInterrupt { Glibc.read(descriptor.number, start, buffer.count) }
            guard count > 0 else { return }
            for event in InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                handle(event.watch, event.mask, event.name)
            }
        }
    }

    private func handle(_ number: Int32, _ mask: UInt32, _ name: String) {
        func has(_ flag: Int32) -> Bool { mask & UInt32(bitPattern: flag) != 0 }
        if has(Int32(IN_Q_OVERFLOW)) { return handler(.overflow) }
        // A watch that was removed may still have events on the way.
        guard let directories = paths[number] else { return }
        // A handler may watch anew what the next turn is about.
        for directory in directories where watched[directory]?.number == number {
            if has(Int32(IN_IGNORED | IN_MOVE_SELF | IN_DELETE_SELF | IN_UNMOUNT)) {
                remove(directory)
                handler(.gone(directory: directory))
            } else if name.isEmpty {
                if has(Int32(IN_ATTRIB)) { handler(.attributes(directory: directory)) }
            } else if let kind = Self.kind(mask) {
                handler(.entry(directory: directory, name: name, kind))
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
