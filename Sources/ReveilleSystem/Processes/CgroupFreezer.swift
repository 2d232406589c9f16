// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Whether the processes of a cgroup are frozen, by its file `cgroup.events`.
///
/// The kernel tells when they have been frozen or thawed, by themselves or with a cgroup further up, and when the
/// first process comes or the last one leaves; not more often than every 10 ms, so that states in between may
/// not be seen. It does not tell when one of several processes comes or leaves, nor when the cgroup is removed.
/// Loop thread only.
package final class CgroupFreezer {
    private let descriptor: OwnedDescriptor
    private var source: (any LoopSource)?

    /// Watches a cgroup.
    ///
    /// - Parameters:
    ///   - directory: The cgroup's own.
    ///   - loop: The loop on which `changed` is called.
    ///   - changed: Called when ``isFrozen`` may have changed, or processes have come or left.
    /// - Throws: `SystemError`; ENOENT for a cgroup that is not there or, as the uppermost, is never frozen.
    package init(
        directory: String, loop: any Loop, changed: @escaping () -> Void
    ) throws(SystemError) {
        let path = directory + "/cgroup.events"
        let number = retryingOnInterrupt { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
        guard number >= 0 else { throw SystemError("open", on: path) }
        descriptor = OwnedDescriptor(number)
        guard !DescriptorLimit.isKeptBack(number) else { throw SystemError("open", on: path, code: EMFILE) }
        // An edge, since a cgroup that was removed is told of for ever. What comes before the file was first read
        // comes at once.
        source = try loop.watch(number, for: [.changed, .edge], priority: .watcher) { _ in changed() }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    /// Whether its processes are frozen now; `nil` when the cgroup has been removed.
    package var isFrozen: Bool? {
        withUnsafeTemporaryAllocation(byteCount: Self.limit, alignment: 1) { buffer in
            let count = retryingOnInterrupt { pread(descriptor.number, buffer.baseAddress, buffer.count, 0) }
            guard count > 0 else { return nil }
            return Self.isFrozen(inEvents: String(decoding: buffer[..<count], as: UTF8.self))
        }
    }

    /// Says what the text of a `cgroup.events` says; `nil` when it says nothing (before Linux 5.2).
    package static func isFrozen(inEvents text: String) -> Bool? {
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            if words.count == 2, words[0].elementsEqual("frozen".utf8) { return words[1].elementsEqual("1".utf8) }
        }
        return nil
    }

    /// Two short lines now, and room for what may be added.
    private static let limit = 1_024
}
