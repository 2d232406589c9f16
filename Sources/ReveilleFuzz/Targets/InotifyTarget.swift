// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem

/// Checks that events survive being written in the kernel's format and parsed again.
enum InotifyTarget {
    private static let header = 16

    static func check(_ bytes: [UInt8]) throws(Falsified) {
        let events = bytes.withUnsafeBytes { InotifyEvent.events(in: $0) }
        try require(events.count <= bytes.count / header, "an event has a header")
        for event in events { try require(event.name?.utf8.contains(0) != true, "a name has no NUL") }
        let written = events.flatMap(bytes(of:))
        let again = written.withUnsafeBytes { InotifyEvent.events(in: $0) }
        try requireEqual(again, events, "events after encoding")
    }

    private static func bytes(of event: InotifyEvent) -> [UInt8] {
        let notUTF8: [UInt8] = [0xff]
        let name = (event.name.map { Array($0.utf8) } ?? notUTF8) + [0]
        let padding = (header - name.count % header) % header
        let numbers = [UInt32(bitPattern: event.watch), event.mask, 0, UInt32(name.count + padding)]
        // The kernel uses the native byte order.
        let head = numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
        return head + name + Array(repeating: 0, count: padding)
    }
}
