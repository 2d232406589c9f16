// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation

/// Checks that the offsets of a zone change only at its transitions, and that the slots of a rule are in order and equal
/// their number.
///
/// The input is the parts of a rule and a start, followed by a TZif file or only its footer.
enum ZoneTarget {
    /// A file without a table, up to its footer.
    private static let empty: [UInt8] = {
        let header = Array("TZif2".utf8) + Array(repeating: 0, count: 15) + Array(repeating: 0, count: 19)
        let table = header + [1, 0, 0, 0, 0] + Array(repeating: 0, count: 6)
        return table + table + [UInt8(ascii: "\n")]
    }()
    /// The seconds in a step of the start: a day and some.
    private static let step = 100_003

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        let rule = rule(&input)
        let start = ((input.byte() << 8 | input.byte()) - 20_000) * step
        let rest = Array(input.rest)
        guard
            let zone = (try? TimeZoneRules(tzif: rest))
                ?? (try? TimeZoneRules(tzif: empty + rest + [UInt8(ascii: "\n")]))
        else { return }
        try checkTransitions(of: zone, after: start)
        if let rule { try checkSlots(of: rule, in: zone, after: start) }
    }

    private static func rule(_ input: inout FuzzInput) -> CalendarRule? {
        let given = input.byte()
        let values = (0..<3).map { _ in input.byte() }
        func part(_ bit: Int, _ value: Int) -> Int? { given & 1 << bit == 0 ? nil : value }
        let day = part(1, values[0] >> 3)
        let rule = CalendarRule(
            month: part(0, values[0] & 7 + 1), day: day == 0 ? -1 : day,
            weekdays: part(2, values[1] % 7 + 1).flatMap(Weekday.init).map { [$0] }, hour: part(3, values[1] >> 4),
            minute: part(4, values[2] % 60), second: part(5, values[2] >> 6))
        return rule.fault == nil ? rule : nil
    }

    private static func checkTransitions(of zone: TimeZoneRules, after start: Int) throws(Broken) {
        var time = start
        for _ in 0..<16 {
            guard let next = zone.transition(after: time) else { break }
            try require(next > time, "the change at \(next) is after \(time)")
            let offset = zone.offset(at: time)
            for moment in [time + (next - time) / 3, next - 1] {
                try requireEqual(zone.offset(at: moment), offset, "the offset from \(time) to \(moment)")
            }
            try require(zone.offset(at: next) != offset, "the offset changes at \(next)")
            try require(abs(zone.offset(at: next)) < 26 * 3_600, "the offset at \(next) is plausible")
            time = next
        }
    }

    private static func checkSlots(
        of rule: CalendarRule, in zone: TimeZoneRules, after start: Int
    ) throws(Broken) {
        func moment(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }
        let start = moment(Int64(start) * 1_000_000)
        var last = start
        for number in 1...8 {
            guard let slot = rule.next(after: last, in: zone) else { return }
            try require(slot > last, "the slot \(slot) is after \(last)")
            let count = rule.count(after: start, through: slot, in: zone)
            try requireEqual(count, number, "the slots from \(start) through \(slot)")
            let before = rule.count(after: start, through: moment(slot.microseconds - 1), in: zone)
            try requireEqual(before, number - 1, "the slots from \(start) before \(slot)")
            last = slot
        }
    }
}
