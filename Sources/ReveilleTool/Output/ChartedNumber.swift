// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleWire
import Varlink

/// The number by which a chart shows the state of an aspect.
struct ChartedNumber: Sendable {
    let unit: String
    /// The range of all possible numbers; `nil` if it is open.
    let range: ClosedRange<Double>?
    /// Whether equal ratios have equal distances: the light of a day spans five powers of ten.
    let isLogarithmic: Bool
    /// Returns the number of a state; `nil` if the device does not know it.
    let value: @Sendable (Reading) -> Double?

    /// Returns the number of an aspect; `nil` if its state has none, or several of equal importance.
    init?(_ aspect: Aspect) {
        guard let charted = aspect.builtIn?.fields.first(where: { $0.chartUnit != nil }),
            let unit = charted.chartUnit
        else { return nil }
        let isLevel = if case .level = charted.values { true } else { false }
        self.unit = unit
        range = isLevel ? 0...100 : nil
        isLogarithmic = aspect == .light
        value = { reading in
            let number = ReadingCoding.encode(reading).objectValue?[charted.name]?.numberValue
            return number.map { isLevel ? $0 * 100 : $0 }
        }
    }

    /// Returns a number in a state, or in a published value, by the names of its members joined by dots.
    init(member path: String) {
        (unit, range, isLogarithmic) = ("", nil, false)
        value = { reading in
            let names = path.split(separator: ".").map(String.init)
            return names.reduce(Self.object(of: reading)) { $0?.objectValue?[$1] }?.numberValue
        }
    }

    /// Returns the names of the members of a state that are numbers.
    static func members(of reading: Reading) -> [String] {
        func names(in value: JSON?, after prefix: String) -> [String] {
            (value?.objectValue?.members ?? []).flatMap { member in
                member.value.numberValue != nil
                    ? [prefix + member.name] : names(in: member.value, after: prefix + member.name + ".")
            }
        }
        return names(in: object(of: reading), after: "")
    }

    private static func object(of reading: Reading) -> JSON? {
        guard case .published(let value) = reading else { return ReadingCoding.encode(reading) }
        return value.json.flatMap { try? JSON.parse(Array($0.utf8)) }
    }

    /// Returns a number with its unit, and with one decimal place where there are decimals.
    func text(_ number: Double) -> String { rounded(number, to: 10) }

    /// Returns a number with its unit, rounded to parts of one.
    func rounded(_ number: Double, to parts: Double) -> String {
        (abs(number) < 1e15 ? number.text(parts: parts) : "\(number)") + unit
    }
}

extension Double {
    /// Returns the number rounded to parts of one, without superfluous decimals.
    func text(parts: Double = 10) -> String {
        let rounded = (self * parts).rounded() / parts
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}

/// The last changes of an aspect as numbers, for a line of bars.
///
/// The height of a bar is the number that matters most about the aspect, such as the level of a battery. A state that is
/// not a number has a height for each different state, in the order of their first appearance.
enum ChangeLine {
    /// Returns the heights for changes of one aspect, oldest first; `nil` for a gap, where the number is unknown.
    static func heights(of changes: [Event]) -> [Double?] {
        let member = changes.last { $0.published?.isWithdrawn == false }.flatMap(numericMember)
        let numbers = changes.map { number(in: $0, member) }
        guard numbers.allSatisfy({ $0 == nil }) else { return numbers }
        var heights: [Reading: Double] = [:]
        return changes.map { change in
            let height = heights[change.reading] ?? Double(heights.count)
            heights[change.reading] = height
            return height
        }
    }

    private static func number(in change: Event, _ member: String?) -> Double? {
        switch change.reading {
        case .shake(let shake): shake.peak
        case .motion(let motion): motion.acceleration?.length
        case .published(let value): member.flatMap { object(value)?[$0]?.numberValue }
        default: ChartedNumber(change.aspect)?.value(change.reading)
        }
    }

    /// Returns the name of the first member of a published value that is a number.
    private static func numericMember(of change: Event) -> String? {
        change.published.flatMap(object)?.members.first { $0.value.numberValue != nil }?.name
    }

    private static func object(_ value: PublishedValue) -> JSONObject? {
        value.json.flatMap { try? JSON.parse(Array($0.utf8)) }?.objectValue
    }
}
