// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// One event as inotify(7) writes it: a header, and the name of a directory's entry behind it.
package struct InotifyEvent: Sendable, Hashable {
    /// The number of the watch; -1 for an overflow.
    package let watch: Int32
    /// What happened.
    package let mask: UInt32
    /// The entry that it happened to; empty for the directory itself.
    package let name: String

    /// Cuts what one read gave into events.
    ///
    /// - Parameter buffer: Bytes of the kernel's; an event that is cut off at their end has as much of its name
    ///   as is there, and one without its whole header is left out; so is one of a name that is not UTF-8, for
    ///   which no text can stand.
    /// - Returns: The events in their order.
    package static func events(in buffer: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= buffer.count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(buffer.count, offset + header + Int(event.len))
            // The kernel fills up with NUL bytes.
            let name = buffer[offset + header..<end].prefix { $0 != 0 }
            if let name = String(validating: name, as: UTF8.self) {
                events.append(InotifyEvent(watch: event.wd, mask: event.mask, name: name))
            }
            offset = end
        }
        return events
    }
}
