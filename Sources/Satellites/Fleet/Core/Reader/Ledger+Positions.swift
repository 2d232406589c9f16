// SPDX-License-Identifier: Apache-2.0

extension Ledger {
    package func position(of aspect: String, of device: DeviceID) -> FleetPosition? {
        devices[device]?.states[aspect]?.seen
    }

    /// Continues after a saved position, and returns false if the ledger is full.
    ///
    /// The state is absent if the consumer knows that the broker no longer has it.
    package mutating func resume(
        _ position: FleetPosition, of aspect: String, of device: DeviceID, isAbsent: Bool = false
    ) -> Bool {
        guard admit(aspect, of: device) else { return false }
        update(aspect, of: device) { state in
            state.seen = position
            if isAbsent { state.connection = nil }
        }
        return true
    }

    /// Takes note of an event that the consumer has taken.
    ///
    /// States that the consumer had not taken before a removal are never delivered, so the next event counts from the
    /// last seen state.
    package mutating func noteTaken(_ event: FleetEvent) {
        guard case .removed(let removal) = event, let aspect = removal.aspect,
            devices[removal.device]?.states[aspect]?.isAbsent == true
        else { return }
        guard let seen = removal.previous else {
            _ = forget(aspect, of: removal.device)
            return forgetIfEmpty(removal.device)
        }
        update(aspect, of: removal.device) { $0.seen = seen }
    }
}

// The text form of the positions, one line for each device:
//
//     # reveille-fleet positions 1
//     kiosk-7 0a1b battery=12 proximity=3
//     kiosk-8 77f0 battery=4 5c2e !org.example.mode=9
//     # end 2
//
// A line has the device, and its aspects with their generations after the instance that counts them. An exclamation
// mark before an aspect means that its removal was reported. The last line has the number of devices, so that a
// truncated file is recognized.
extension Ledger {
    /// The first line.
    ///
    /// The number in it changes when older readers cannot read the file.
    static let header = "# reveille-fleet positions 1"
    /// The last line, before the number.
    static let trailer = "# end "
    /// Marks an aspect whose removal was reported; no name contains this character.
    private static let absence = "!"

    /// Returns the positions that the consumer has seen: all that arrived, without the events that wait in the inbox.
    package func positions(without inbox: FleetInbox = FleetInbox()) -> String {
        var lines = devices.values.sorted { $0.device < $1.device }.compactMap { record in
            Self.line(
                record.device,
                record.states.sorted { $0.key < $1.key }.compactMap { aspect, state in
                    // The next run delivers a waiting event again, so it must not know of the removal either.
                    let waiting = inbox.seen(aspect, of: record.device)
                    return (waiting ?? state.seen).map {
                        ((state.isAbsent && waiting == nil ? Self.absence : "") + aspect, $0)
                    }
                })
        }
        for removal in inbox.removals where position(of: removal.aspect, of: removal.device) == nil {
            lines += [Self.line(removal.device, [(removal.aspect, removal.position)])].compactMap(\.self)
        }
        return "\(Self.header)\n\(lines.joined())\(Self.trailer)\(lines.count)\n"
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

    /// Creates a ledger that continues from saved positions; an error has the number of the line and the reason.
    package init(positions text: String, limit: Int = Self.entryLimit) throws(FleetError) {
        guard !text.isEmpty else { throw FleetError(.positions, "the file is empty") }
        self.init(limit: limit)
        var devices: Int?
        var number = 0
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() {
            number += 1
            let text = String(Substring(line))
            do throws(FleetError) {
                if devices != nil { throw FleetError(.positions, "follows the end") }
                if number == 1 {
                    guard text == Self.header else {
                        throw FleetError(
                            .positions, "is not '\(Self.header)'; the file was not written by this version")
                    }
                } else if text.hasPrefix("#") {
                    guard text == Self.trailer + "\(number - 2)" else {
                        throw FleetError(.positions, "is '\(text.escaped)' after \(number - 2) devices")
                    }
                    devices = number - 2
                } else {
                    try read(text)
                }
            } catch {
                throw FleetError(.positions, "line \(number) \(error)")
            }
        }
        guard devices != nil, lines.last?.isEmpty == true else {
            throw FleetError(.positions, "the file ends at line \(number + 1), without '\(Self.trailer)N'")
        }
    }

    private mutating func read(_ line: String) throws(FleetError) {
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
            let isAbsent = word.hasPrefix(Self.absence)
            let aspect = String(word[..<equals].dropFirst(isAbsent ? Self.absence.count : 0))
            guard FleetTopic.isAspect(aspect), let generation = Self.generation(word[word.index(after: equals)...])
            else {
                throw FleetError(.positions, "has the invalid position '\(String(word).escaped)'")
            }
            guard self.position(of: aspect, of: device) == nil else {
                throw FleetError(.positions, "has \(aspect) of \(device) a second time")
            }
            let position = FleetPosition(instance: instance, generation: generation)
            guard resume(position, of: aspect, of: device, isAbsent: isAbsent) else {
                throw FleetError(.positions, "has more positions than a reader keeps")
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
