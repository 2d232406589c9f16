// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The text in which the positions of a reader are saved, one line for each device.
///
///     # reveille-fleet positions 1
///     kiosk-7 0a1b battery=12 proximity=3
///     kiosk-8 77f0 battery=4 5c2e !org.example.mode=9
///     # end 2
///
/// A line has the device, and its aspects with their generations after the instance that counts them. An exclamation
/// mark before an aspect means that its removal was reported. The last line has the number of the lines before it, so
/// that a file that was cut is recognized.
package enum PositionsFile {
    /// One position of a device.
    fileprivate struct Entry {
        let aspect: String
        let position: FleetPosition
        var isAbsent = false
    }

    /// The first line.
    ///
    /// Its number changes when older readers cannot read the file.
    static let header = "# reveille-fleet positions 1"
    /// The last line, before the number.
    static let trailer = "# end "
    /// Before an aspect whose removal was reported; it cannot occur in a name.
    static let absence = "!"
    /// The longest line: the most aspects of a device, with names of the maximum length.
    static let lineLimit = 1 << 20
    /// The bytes that are written at a time.
    private static let chunkSize = 1 << 16

    /// Writes the positions that the consumer has seen.
    ///
    /// - Parameters:
    ///   - ledger: The positions of all messages that arrived.
    ///   - inbox: The events that the consumer has not taken.
    ///   - write: Takes the parts of the file in their order.
    /// - Throws: What the closure throws.
    package static func write<Failure: Error>(
        _ ledger: Ledger, without inbox: FleetInbox = FleetInbox(), to write: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var (lines, chunk) = (0, Array((header + "\n").utf8))
        func add(_ line: String) {
            guard !line.isEmpty else { return }
            lines += 1
            chunk += line.utf8
        }
        for place in ledger.records.indices {
            add(line(ledger.positions(at: place, without: inbox)))
            if chunk.count >= chunkSize {
                try write(chunk)
                chunk.removeAll(keepingCapacity: true)
            }
        }
        for removal in inbox.removals where ledger.position(of: removal.aspect, of: removal.device) == nil {
            add(line((removal.device, [Entry(aspect: removal.aspect, position: removal.position)])))
        }
        try write(chunk + Array("\(trailer)\(lines)\n".utf8))
    }

    private static func line(_ device: (id: DeviceID, entries: [Entry])?) -> String {
        guard let device, !device.entries.isEmpty else { return "" }
        var line = device.id.text
        var instance: String?
        for entry in device.entries {
            if entry.position.instance != instance {
                instance = entry.position.instance
                line += " " + entry.position.instance
            }
            line += " \(entry.isAbsent ? absence : "")\(entry.aspect)=\(entry.position.generation)"
        }
        return line + "\n"
    }
}

extension Ledger {
    /// Returns the positions of one device that the consumer has seen.
    fileprivate func positions(
        at place: Int, without inbox: FleetInbox
    ) -> (id: DeviceID, entries: [PositionsFile.Entry])? {
        guard let record = records[place] else { return nil }
        var entries: [PositionsFile.Entry] = []
        for aspect in record.aspects {
            guard let name = texts[aspect.name], let instance = texts[aspect.instance] else { continue }
            let position = FleetPosition(instance: instance, generation: aspect.generation)
            guard !inbox.isEmpty, let seen = inbox.seen(name, of: record.device) else {
                entries.append(PositionsFile.Entry(aspect: name, position: position, isAbsent: aspect.isAbsent))
                continue
            }
            if let seen { entries.append(PositionsFile.Entry(aspect: name, position: seen)) }
        }
        return (record.device, entries)
    }
}
