// SPDX-License-Identifier: Apache-2.0

// The compiler may attribute the structure to this module.
import CReveilleLinux
import Glibc

/// An event in the format of inotify(7): a header, followed by the name of a directory entry.
package struct InotifyEvent: Sendable, Hashable {
    /// The number of the watch, or -1 for an overflow.
    package let watch: Int32
    package let mask: UInt32
    /// The name of the entry, or an empty string for the directory itself; `nil` for a name that is not valid UTF-8.
    package let name: String?

    /// Returns the events in the result of one read, in their order.
    ///
    /// An event truncated at the end keeps the available part of its name. Events with an incomplete header are omitted.
    package static func events(in buffer: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= buffer.count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(buffer.count, offset + header + Int(event.len))
            // The kernel pads names with NUL bytes.
            let name = buffer[offset + header..<end].prefix { $0 != 0 }
            events.append(
                InotifyEvent(watch: event.wd, mask: event.mask, name: String(validating: name, as: UTF8.self)))
            offset = end
        }
        return events
    }
}
