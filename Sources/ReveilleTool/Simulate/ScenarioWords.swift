// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleTesting
import ReveilleWire
import Varlink

/// A syntax error in a line of a scenario.
struct ScenarioError: Error {
    /// The valid steps, or the syntax of the step.
    let advice: String
}

/// The words of a scenario's line, which are parsed one by one.
struct ScenarioWords {
    /// The line without leading and trailing whitespace.
    let text: String
    private var rest: Substring

    /// Splits a line into words; `nil` if it is blank.
    init?(_ line: Substring) {
        guard let first = line.firstIndex(where: { !$0.isWhitespace }),
            let last = line.lastIndex(where: { !$0.isWhitespace })
        else { return nil }
        text = String(line[first...last])
        rest = text[...]
    }

    var isComment: Bool { text.hasPrefix("#") }

    /// The text of a comment; `nil` if it is empty.
    var comment: String? {
        guard let first = text.firstIndex(where: { $0 != "#" && !$0.isWhitespace }) else { return nil }
        return String(text[first...])
    }

    mutating func step() throws(ScenarioError) -> ScenarioStep {
        let name = next() ?? ""
        guard let form = ScenarioForm.all.first(where: { $0.name == name }) else {
            let names = ScenarioForm.all.map(\.name)
            let hint = Suggestion.phrase(for: name, among: names)
            throw ScenarioError(
                advice: hint.isEmpty
                    ? "the steps are " + names.joined(separator: ", ") : String(hint.dropFirst("; ".count)))
        }
        guard let step = form.parse(&self), rest.isEmpty else { throw ScenarioError(advice: form.usage) }
        return step
    }

    mutating func rotate() -> ScenarioStep? {
        let name = next()
        guard let pose = ScenarioForm.poses.first(where: { $0.rawValue == name }) else { return nil }
        return .change(.orientation) { try $0.rotate(to: pose) }
    }

    mutating func switchStep(
        on: String, off: String, of part: @escaping (SyntheticPhone) -> SyntheticSwitch
    ) -> ScenarioStep? {
        guard let word = next(), word == on || word == off else { return nil }
        return .change(.switches) { try part($0).set(word == on) }
    }

    mutating func network() -> ScenarioStep? {
        guard let name = next(), ScenarioForm.networks.contains(name) else { return nil }
        let kind = Network.Kind(rawValue: name)
        return .change(.network) { phone in
            if let kind { try phone.connect(over: kind) } else { try phone.disconnect() }
        }
    }

    mutating func vector() -> Motion.Vector? {
        let range = -ScenarioForm.largestNumber...ScenarioForm.largestNumber
        guard let x = number(in: range), let y = number(in: range), let z = number(in: range) else { return nil }
        return Motion.Vector(x: x, y: y, z: z)
    }

    mutating func part() -> ScenarioPart? {
        next().flatMap { ScenarioPart($0) }
    }

    mutating func wait() -> ScenarioStep? {
        guard let word = next() else { return nil }
        if word == "delivered" { return .waitDelivered }
        if word == "subscribed" {
            guard !rest.isEmpty else { return .waitSubscribed(1) }
            return count(in: 1...Int.max).map { .waitSubscribed($0) }
        }
        return Self.number(word, in: 0...ScenarioForm.longestWait).map { .wait(.seconds($0)) }
    }

    mutating func publish() -> ScenarioStep? {
        guard let name = publishedName(),
            let value = try? JSON.parse(Array(takeRest().utf8), maximumDepth: PublishedValue.depthLimit),
            let object = value.objectValue
        else { return nil }
        return .publish(PublishedValue(name, object))
    }

    mutating func publishedName() -> Aspect? {
        next().flatMap { Aspect($0) }.flatMap { $0.isPublished ? $0 : nil }
    }

    /// Parses a number within a range, and the name of a battery, by default the first one.
    mutating func batteryStep(
        _ aspect: Aspect, in range: ClosedRange<Double>, change: @escaping (SyntheticBattery, Double) throws -> Void
    ) -> ScenarioStep? {
        guard let number = number(in: range) else { return nil }
        var battery = 1
        if !rest.isEmpty {
            guard case .battery(let named)? = part() else { return nil }
            battery = named
        }
        return .change(aspect) { [battery] in try change(ScenarioPart.battery(battery, of: $0), number) }
    }

    mutating func settings() -> ScenarioStep? {
        guard let name = next(), !rest.isEmpty else { return nil }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == ".." }) else { return nil }
        let text = takeRest()
        return .change(.defaults) { try $0.writeSettings(text, to: name) }
    }

    mutating func document() -> ScenarioStep? {
        guard let name = documentName(), !rest.isEmpty else { return nil }
        let text = takeRest()
        return .change(nil) { try $0.writeDocument(text, to: name) }
    }

    mutating func renamedDocument() -> ScenarioStep? {
        guard let name = documentName(), let other = documentName() else { return nil }
        return .change(nil) { try $0.renameDocument(name, to: other) }
    }

    mutating func documentName() -> String? {
        next().flatMap { $0.utf8.contains(UInt8(ascii: "/")) || [".", ".."].contains($0) ? nil : $0 }
    }

    mutating func takeRest() -> String {
        defer { rest = "" }
        return String(rest)
    }

    mutating func number(in range: ClosedRange<Double>) -> Double? {
        next().flatMap { Self.number($0, in: range) }
    }

    mutating func count(in range: ClosedRange<Int>) -> Int? {
        next().flatMap { Int($0) }.flatMap { range ~= $0 ? $0 : nil }
    }

    private static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
        Double(text).flatMap { range ~= $0 ? $0 : nil }
    }

    mutating func next() -> String? {
        guard !rest.isEmpty else { return nil }
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest[word.endIndex...].drop(while: \.isWhitespace)
        return String(word)
    }
}
