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
        guard let form = Self.forms.first(where: { $0.name == name }) else {
            throw ScenarioError(advice: "the steps are " + Self.forms.map(\.name).joined(separator: ", "))
        }
        guard let step = form.parse(&self), rest.isEmpty else { throw ScenarioError(advice: "usage: \(form.syntax)") }
        return step
    }

    /// The steps: their names, their syntax, and the parsers of the words after the name.
    private static let forms: [(name: String, syntax: String, parse: @Sendable (inout Self) -> ScenarioStep?)] = [
        ("start", "start", { _ in .start }),
        ("wait", "wait SECONDS, wait subscribed [COUNT] or wait delivered", { $0.wait() }),
        ("level", "level 0..1 [BATTERY]", { $0.batteryStep(.battery, in: 0...1) { try $0.setLevel($1) } }),
        (
            "power", "power WATTS [BATTERY], with \(Int(watts.lowerBound)) to \(Int(watts.upperBound)) watts",
            { $0.batteryStep(.power, in: watts) { try $0.setPower($1) } }
        ),
        ("plug", "plug", { _ in .change(.battery) { try $0.plugIn() } }),
        ("unplug", "unplug", { _ in .change(.battery) { try $0.unplug() } }),
        ("rotate", "rotate " + poses.map(\.rawValue).joined(separator: "|"), { $0.rotate() }),
        ("near", "near", { _ in .change(.proximity) { try $0.setNear(true) } }),
        ("far", "far", { _ in .change(.proximity) { try $0.setNear(false) } }),
        (
            "light", "light LUX, from 0 to \(Int(LightRule.limit))",
            { $0.number(in: 0...LightRule.limit).map { lux in .change(.light) { try $0.setLight(lux) } } }
        ),
        (
            "brightness", "brightness 0..1",
            { $0.number(in: 0...1).map { level in .change(.display) { try $0.setBrightness(level) } } }
        ),
        ("lid", "lid open|closed", { $0.switchStep(on: "closed", off: "open") { $0.lid } }),
        ("tablet", "tablet on|off", { $0.switchStep(on: "on", off: "off") { $0.tabletMode } }),
        ("dock", "dock on|off", { $0.switchStep(on: "on", off: "off") { $0.dock } }),
        (
            "sleep", "sleep SECONDS, from 0 to \(Int(SyntheticPhone.longestSleep / .seconds(1)))",
            { $0.number(in: 0...SyntheticPhone.longestSleep / .seconds(1)).map { .sleep(.seconds($0)) } }
        ),
        ("network", "network " + networks.joined(separator: "|"), { $0.network() }),
        (
            "accelerate", "accelerate X Y Z, in g",
            { $0.vector().map { force in .change(nil) { try $0.accelerate(x: force.x, y: force.y, z: force.z) } } }
        ),
        (
            "spin", "spin X Y Z, in radians per second",
            { $0.vector().map { rate in .change(nil) { try $0.spin(x: rate.x, y: rate.y, z: rate.z) } } }
        ),
        ("locale", "locale NAME", { $0.next().map { name in .change(.locale) { try $0.setLocale(name) } } }),
        ("settings", "settings FILE TEXT, with a file below ~/.config", { $0.settings() }),
        ("document", "document NAME TEXT, with a file in ~/Documents", { $0.document() }),
        ("rename-document", "rename-document NAME NAME", { $0.renamedDocument() }),
        (
            "remove-document", "remove-document NAME",
            { $0.documentName().map { name in .change(nil) { try $0.removeDocument(name) } } }
        ),
        (
            "burst", "burst COUNT, with a count from 1 to \(longestBurst)",
            { $0.count(in: 1...longestBurst).map { .burst($0) } }
        ),
        ("add", "add \(parts)", { $0.part().map { part in .change(nil) { try part.add(to: $0) } } }),
        ("remove", "remove \(parts)", { $0.part().map { part in .change(nil) { try part.remove(from: $0) } } }),
        ("publish", #"publish NAME OBJECT, such as publish org.example.volume {"level": 0.5}"#, { $0.publish() }),
        ("withdraw", "withdraw NAME", { $0.publishedName().map { .publish(PublishedValue($0, bytes: nil)) } }),
        ("background", "background", { _ in .background }),
        ("foreground", "foreground", { _ in .foreground }),
        ("restart", "restart", { _ in .restart }),
        ("expect", Expectation.form, { Expectation($0.takeRest()[...]).map { .expect($0) } }),
        ("end", "end", { _ in .end }),
    ]

    private static let parts = ScenarioPart.names.joined(separator: "|")
    private static let networks = Network.Kind.allCases.map(\.rawValue) + ["none"]
    private static let watts = -SyntheticBattery.greatestPower...SyntheticBattery.greatestPower
    private static let poses = Orientation.Pose.allCases.filter { $0 != .unknown }
    /// The largest number of a vector, which is more than a phone survives.
    private static let largestNumber = 1_000.0
    /// The longest wait in seconds; more than a week is probably a typing error.
    private static let longestWait = 604_800.0
    /// The longest burst, which takes minutes.
    private static let longestBurst = 1_000_000

    private mutating func rotate() -> ScenarioStep? {
        let name = next()
        guard let pose = Self.poses.first(where: { $0.rawValue == name }) else { return nil }
        return .change(.orientation) { try $0.rotate(to: pose) }
    }

    private mutating func switchStep(
        on: String, off: String, of part: @escaping (SyntheticPhone) -> SyntheticSwitch
    ) -> ScenarioStep? {
        guard let word = next(), word == on || word == off else { return nil }
        return .change(.switches) { try part($0).set(word == on) }
    }

    private mutating func network() -> ScenarioStep? {
        guard let name = next(), Self.networks.contains(name) else { return nil }
        let kind = Network.Kind(rawValue: name)
        return .change(.network) { phone in
            if let kind { try phone.connect(over: kind) } else { try phone.disconnect() }
        }
    }

    private mutating func vector() -> Motion.Vector? {
        let range = -Self.largestNumber...Self.largestNumber
        guard let x = number(in: range), let y = number(in: range), let z = number(in: range) else { return nil }
        return Motion.Vector(x: x, y: y, z: z)
    }

    private mutating func part() -> ScenarioPart? {
        next().flatMap { ScenarioPart($0) }
    }

    private mutating func wait() -> ScenarioStep? {
        guard let word = next() else { return nil }
        if word == "delivered" { return .waitDelivered }
        if word == "subscribed" {
            guard !rest.isEmpty else { return .waitSubscribed(1) }
            return count(in: 1...Int.max).map { .waitSubscribed($0) }
        }
        return Self.number(word, in: 0...Self.longestWait).map { .wait(.seconds($0)) }
    }

    private mutating func publish() -> ScenarioStep? {
        guard let name = publishedName(),
            let value = try? JSON.parse(Array(takeRest().utf8), maximumDepth: PublishedValue.depthLimit),
            let object = value.objectValue
        else { return nil }
        return .publish(PublishedValue(name, object))
    }

    private mutating func publishedName() -> Aspect? {
        next().flatMap { Aspect($0) }.flatMap { $0.isPublished ? $0 : nil }
    }

    /// Parses a number within a range, and the name of a battery, by default the first one.
    private mutating func batteryStep(
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

    private mutating func settings() -> ScenarioStep? {
        guard let name = next(), !rest.isEmpty else { return nil }
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == ".." }) else { return nil }
        let text = takeRest()
        return .change(.defaults) { try $0.writeSettings(text, to: name) }
    }

    private mutating func document() -> ScenarioStep? {
        guard let name = documentName(), !rest.isEmpty else { return nil }
        let text = takeRest()
        return .change(nil) { try $0.writeDocument(text, to: name) }
    }

    private mutating func renamedDocument() -> ScenarioStep? {
        guard let name = documentName(), let other = documentName() else { return nil }
        return .change(nil) { try $0.renameDocument(name, to: other) }
    }

    private mutating func documentName() -> String? {
        next().flatMap { $0.utf8.contains(UInt8(ascii: "/")) || [".", ".."].contains($0) ? nil : $0 }
    }

    private mutating func takeRest() -> String {
        defer { rest = "" }
        return String(rest)
    }

    private mutating func number(in range: ClosedRange<Double>) -> Double? {
        next().flatMap { Self.number($0, in: range) }
    }

    private mutating func count(in range: ClosedRange<Int>) -> Int? {
        next().flatMap { Int($0) }.flatMap { range ~= $0 ? $0 : nil }
    }

    private static func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
        Double(text).flatMap { range ~= $0 ? $0 : nil }
    }

    private mutating func next() -> String? {
        guard !rest.isEmpty else { return nil }
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest[word.endIndex...].drop(while: \.isWhitespace)
        return String(word)
    }
}
