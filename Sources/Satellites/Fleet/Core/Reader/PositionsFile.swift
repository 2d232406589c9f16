// SPDX-License-Identifier: Apache-2.0

/// The text form of a reader's saved positions, one line for each device.
///
///     # reveille-fleet positions 1
///     kiosk-7 0a1b battery=12 proximity=3
///     kiosk-8 77f0 battery=4 5c2e !org.example.mode=9
///     # end 2
///
/// A line has the device, and its aspects with their generations after the instance that counts them. An exclamation
/// mark before an aspect means that its removal was reported. The last line has the number of devices, so that a
/// truncated file is recognized.
package enum PositionsFile {
    /// The first line.
    ///
    /// The number in it changes when older readers cannot read the file.
    static let header = "# reveille-fleet positions 1"
    /// The last line, before the number.
    static let trailer = "# end "
    /// Marks an aspect whose removal was reported; no name contains this character.
    private static let absence = "!"

    /// The positions that the consumer has seen: all that arrived, without the events that wait in the inbox.
    package static func text(of ledger: Ledger, without inbox: FleetInbox = FleetInbox()) -> String {
        var lines = ledger.devices.values.sorted { $0.device < $1.device }.compactMap { record in
            line(
                record.device,
                record.states.sorted { $0.key < $1.key }.compactMap { aspect, state in
                    // The next run delivers a waiting event again, so it must not know of the removal either.
                    let waiting = inbox.seen(aspect, of: record.device)
                    return (waiting ?? state.seen).map {
                        ((state.isAbsent && waiting == nil ? absence : "") + aspect, $0)
                    }
                })
        }
        for removal in inbox.removals where ledger.position(of: removal.aspect, of: removal.device) == nil {
            lines += [line(removal.device, [(removal.aspect, removal.position)])].compactMap(\.self)
        }
        return "\(header)\n\(lines.joined())\(trailer)\(lines.count)\n"
    }

    private static func line(_ device: DeviceID, _ positions: [(aspect: String, position: FleetPosition)]) -> String? {
        var line = ""
        var instance: String?
        for (aspect, position) in positions {
            if position.instance != instance {
                instance = position.instance
                line += " " + position.instance
            }
            line += " \(aspect)=\(position.generation)"
        }
        return line.isEmpty ? nil : device.text + line + "\n"
    }

    /// Returns a ledger that continues from saved positions; an error has the number of the line and the reason.
    package static func ledger(from text: String, limit: Int = Ledger.entryLimit) throws(FleetError) -> Ledger {
        guard !text.isEmpty else { throw FleetError(.positions, "the file is empty") }
        var ledger = Ledger(limit: limit)
        var devices: Int?
        var number = 0
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() {
            number += 1
            let text = String(Substring(line))
            do throws(FleetError) {
                if devices != nil { throw FleetError(.positions, "follows the end") }
                if number == 1 {
                    guard text == header else {
                        throw FleetError(.positions, "is not '\(header)'; the file was not written by this version")
                    }
                } else if text.hasPrefix("#") {
                    guard text == trailer + "\(number - 2)" else {
                        throw FleetError(.positions, "is '\(text.escaped)' after \(number - 2) devices")
                    }
                    devices = number - 2
                } else {
                    try read(text, into: &ledger)
                }
            } catch {
                throw FleetError(.positions, "line \(number) \(error)")
            }
        }
        guard devices != nil, lines.last?.isEmpty == true else {
            throw FleetError(.positions, "the file ends at line \(number + 1), without '\(trailer)N'")
        }
        return ledger
    }

    private static func read(_ line: String, into ledger: inout Ledger) throws(FleetError) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        let device = try Result { () throws(FleetError) in try DeviceID(String(words[0])) }
            .mapError { FleetError(.positions, "has an invalid device: \($0)") }.get()
        var instance: String?
        var count = 0
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: "=") else {
                instance = try? StateMessage.checkedInstance(String(word))
                guard instance != nil else {
                    throw FleetError(.positions, "has the invalid instance '\(String(word).escaped)'")
                }
                continue
            }
            guard let instance else { throw FleetError(.positions, "has a position without an instance") }
            let isAbsent = word.hasPrefix(absence)
            let aspect = String(word[..<equals].dropFirst(isAbsent ? absence.count : 0))
            guard FleetTopic.isAspect(aspect), let generation = generation(word[word.index(after: equals)...]) else {
                throw FleetError(.positions, "has the invalid position '\(String(word).escaped)'")
            }
            guard ledger.position(of: aspect, of: device) == nil else {
                throw FleetError(.positions, "has \(aspect) of \(device) a second time")
            }
            let position = FleetPosition(instance: instance, generation: generation)
            guard ledger.resume(position, of: aspect, of: device, isAbsent: isAbsent) else {
                throw FleetError(.positions, "exceeds what a reader keeps")
            }
            count += 1
        }
        guard count > 0 else { throw FleetError(.positions, "has no position") }
    }

    /// Returns a generation; `nil` unless the text is the canonical form of a number in its range.
    private static func generation(_ text: Substring) -> Int64? {
        guard let number = Int64(text), String(number) == text, (0...StateMessage.generationLimit).contains(number)
        else { return nil }
        return number
    }
}
