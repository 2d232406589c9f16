// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Reads saved positions into a ledger, in parts of any size.
package struct PositionsDecoder: Sendable {
    private var rest: [UInt8] = []
    /// The number of complete lines.
    private var lines = 0
    /// The number of lines according to the last one.
    private var end: Int?

    /// Creates a decoder at the start of a file.
    package init() {}

    /// Takes the next part of the file.
    ///
    /// - Throws: ``FleetError`` with ``FleetError/Code/positions``, the number of the line and the reason. The ledger
    ///   then contains the positions before it.
    package mutating func decode(_ bytes: [UInt8], into ledger: inout Ledger) throws(FleetError) {
        var start = 0
        while let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if rest.isEmpty {
                try line(bytes[start..<newline], into: &ledger)
            } else {
                rest += bytes[start..<newline]
                try line(rest[...], into: &ledger)
                rest.removeAll(keepingCapacity: true)
            }
            start = newline + 1
        }
        rest += bytes[start...]
        guard rest.count <= PositionsFile.lineLimit else {
            throw error("is longer than \(PositionsFile.lineLimit) bytes")
        }
    }

    /// Checks that the file is complete.
    ///
    /// - Throws: ``FleetError`` with ``FleetError/Code/positions`` and the reason.
    package func finish() throws(FleetError) {
        guard lines > 0 || !rest.isEmpty else { throw FleetError(.positions, "the file is empty") }
        guard rest.isEmpty, end != nil else {
            throw FleetError(.positions, "the file ends at line \(lines + 1), without '\(PositionsFile.trailer)N'")
        }
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>, into ledger: inout Ledger) throws(FleetError) {
        guard bytes.count <= PositionsFile.lineLimit else {
            throw error("is longer than \(PositionsFile.lineLimit) bytes")
        }
        guard end == nil else { throw error("follows the end") }
        if lines == 0 {
            guard bytes.elementsEqual(PositionsFile.header.utf8) else {
                throw error("is not '\(PositionsFile.header)'; the file was not written by this version")
            }
        } else if bytes.first == UInt8(ascii: "#") {
            let text = String(decoding: bytes, as: UTF8.self)
            guard text == PositionsFile.trailer + "\(lines - 1)" else {
                throw error("is '\(text.escaped)' after \(lines - 1) devices")
            }
            end = lines - 1
        } else {
            try device(bytes, into: &ledger)
        }
        lines += 1
    }

    private func device(_ line: ArraySlice<UInt8>, into ledger: inout Ledger) throws(FleetError) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let device: DeviceID
        do throws(FleetError) {
            device = try DeviceID(String(decoding: words[0], as: UTF8.self))
        } catch {
            throw self.error("has an invalid device: \(error)")
        }
        var instance: String?
        var count = 0
        for word in words.dropFirst() {
            guard let equals = word.firstIndex(of: UInt8(ascii: "=")) else {
                instance = String(decoding: word, as: UTF8.self)
                guard (try? StateMessage.checkedInstance(instance)) != nil else {
                    throw error("has the invalid instance '\(instance?.escaped ?? "")'")
                }
                continue
            }
            guard let instance else { throw error("has a position without an instance") }
            let isAbsent = word.starts(with: PositionsFile.absence.utf8)
            let name = word[..<equals].dropFirst(isAbsent ? PositionsFile.absence.utf8.count : 0)
            let aspect = String(decoding: name, as: UTF8.self)
            let digits = word[word.index(after: equals)...]
            guard FleetTopic.isAspect(aspect), let generation = Self.generation(digits) else {
                throw error("has the invalid position '\(String(decoding: word, as: UTF8.self).escaped)'")
            }
            guard ledger.position(of: aspect, of: device) == nil else {
                throw error("has \(aspect) of \(device) a second time")
            }
            let position = FleetPosition(instance: instance, generation: generation)
            guard ledger.resume(position, of: aspect, of: device, isAbsent: isAbsent) else {
                throw error("exceeds what a reader keeps")
            }
            count += 1
        }
        guard count > 0 else { throw error("has no position") }
    }

    /// Returns a generation; `nil` unless the text is the usual one of a number in its range.
    private static func generation(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"),
            let number = Int64(String(decoding: digits, as: UTF8.self)), number <= StateMessage.generationLimit
        else { return nil }
        return number
    }

    private func error(_ problem: String) -> FleetError { FleetError(.positions, "line \(lines + 1) \(problem)") }
}
