// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleTesting
import ReveilleWire

/// A step that a scenario may have: its forms with their effects, and the parser of the words after its name.
struct ScenarioForm: Sendable {
    private let forms: KeyValuePairs<String, String>
    let parse: @Sendable (inout ScenarioWords) -> ScenarioStep?

    private init(
        _ forms: KeyValuePairs<String, String>, _ parse: @escaping @Sendable (inout ScenarioWords) -> ScenarioStep?
    ) {
        self.forms = forms
        self.parse = parse
    }

    var name: String { String(forms[0].key.prefix { $0 != " " }) }

    /// The advice for a line with the step's name that has none of the forms.
    var usage: String { "usage: " + forms.map { "\($0): \($1)" }.joined(separator: "; or ") }

    static let all = [
        ScenarioForm(["start": "start the program; default: before the first step"]) { _ in .start },
        ScenarioForm([
            "wait SECONDS": "pause", "wait subscribed [COUNT]": "wait until the program has subscribed",
            "wait delivered": "wait until every subscriber that is awake has read all changes",
        ]) { $0.wait() },
        ScenarioForm(["level 0..1 [BATTERY]": "set the charge level"]) {
            $0.batteryStep(.battery, in: 0...1) { try $0.setLevel($1) }
        },
        ScenarioForm([
            "power WATTS [BATTERY]":
                "set the power of a battery, from \(Int(watts.lowerBound)) to \(Int(watts.upperBound)) watts"
        ]) { $0.batteryStep(.power, in: watts) { try $0.setPower($1) } },
        ScenarioForm(["plug": "connect the charger"]) { _ in .change(.battery) { try $0.plugIn() } },
        ScenarioForm(["unplug": "disconnect the charger"]) { _ in .change(.battery) { try $0.unplug() } },
        ScenarioForm(["rotate POSE": "turn the phone to \(Suggestion.list(poses.map(\.rawValue)))"]) { $0.rotate() },
        ScenarioForm(["near": "cover the proximity sensor"]) { _ in .change(.proximity) { try $0.setNear(true) } },
        ScenarioForm(["far": "uncover the proximity sensor"]) { _ in .change(.proximity) { try $0.setNear(false) } },
        ScenarioForm(["light LUX": "set the light around the phone, from 0 to \(Int(LightRule.limit)) lux"]) {
            $0.number(in: 0...LightRule.limit).map { lux in .change(.light) { try $0.setLight(lux) } }
        },
        ScenarioForm(["brightness 0..1": "set the brightness of the backlight"]) {
            $0.number(in: 0...1).map { level in .change(.display) { try $0.setBrightness(level) } }
        },
        ScenarioForm(["lid open|closed": "open or close the lid"]) {
            $0.switchStep(on: "closed", off: "open") { $0.lid }
        },
        ScenarioForm(["tablet on|off": "fold the keyboard away, or back"]) {
            $0.switchStep(on: "on", off: "off") { $0.tabletMode }
        },
        ScenarioForm(["dock on|off": "put the phone into its dock, or take it out"]) {
            $0.switchStep(on: "on", off: "off") { $0.dock }
        },
        ScenarioForm([
            "sleep SECONDS": "let the phone sleep for up to \(Int(longestSleep)) seconds, and wake it"
        ]) { $0.number(in: 0...longestSleep).map { .sleep(.seconds($0)) } },
        ScenarioForm(["network KIND": "connect over \(Suggestion.list(networks)) of them"]) { $0.network() },
        ScenarioForm(["accelerate X Y Z": "set the acceleration, in g"]) {
            $0.vector().map { force in .change(nil) { try $0.accelerate(x: force.x, y: force.y, z: force.z) } }
        },
        ScenarioForm(["spin X Y Z": "set the rotation, in radians per second"]) {
            $0.vector().map { rate in .change(nil) { try $0.spin(x: rate.x, y: rate.y, z: rate.z) } }
        },
        ScenarioForm(["locale NAME": "set the locale, such as de_DE.UTF-8"]) {
            $0.next().map { name in .change(.locale) { try $0.setLocale(name) } }
        },
        ScenarioForm(["settings FILE TEXT": "write the text to a file below ~/.config"]) { $0.settings() },
        ScenarioForm(["document NAME TEXT": "write the text to a file in ~/Documents"]) { $0.document() },
        ScenarioForm(["rename-document NAME NAME": "rename one"]) { $0.renamedDocument() },
        ScenarioForm(["remove-document NAME": "remove one"]) {
            $0.documentName().map { name in .change(nil) { try $0.removeDocument(name) } }
        },
        ScenarioForm([
            "burst COUNT": "change the level COUNT times at full speed, from 1 to \(longestBurst)"
        ]) { $0.count(in: 1...longestBurst).map { .burst($0) } },
        ScenarioForm(["add PART": "add \(Suggestion.list(ScenarioPart.names))"]) {
            $0.part().map { part in .change(nil) { try part.add(to: $0) } }
        },
        ScenarioForm(["remove PART": "remove one of these"]) {
            $0.part().map { part in .change(nil) { try part.remove(from: $0) } }
        },
        ScenarioForm(["publish NAME OBJECT": "publish a state, such as org.example.volume {\"level\": 0.5}"]) {
            $0.publish()
        },
        ScenarioForm(["withdraw NAME": "withdraw it"]) {
            $0.publishedName().map { .publish(PublishedValue($0, bytes: nil)) }
        },
        ScenarioForm(["background": "send all subscriptions to sleep"]) { _ in .background },
        ScenarioForm(["foreground": "wake them"]) { _ in .foreground },
        ScenarioForm(["restart": "restart the bus"]) { _ in .restart },
        ScenarioForm([
            "expect ASPECT [FIELD] VALUE": "wait until the last event of the aspect has this value",
            "expect defaults DOMAIN [KEY]": "the same for the settings of a program",
            "expect NAME MEMBER VALUE": "the same for a published name",
            "expect NAME OBJECT": "the same for its whole state", "expect NAME withdrawn": "or for none",
            "expect ... changes COUNT": "and until the event stands for COUNT changes, also without a value",
        ]) { Expectation($0.takeRest()[...]).map { .expect($0) } },
        ScenarioForm(["end": "send SIGTERM to the program"]) { _ in .end },
    ]

    // MARK: - Help

    /// The columns before the purposes, and of the whole text in a narrow terminal.
    private static let (column, width) = (27, 79)

    /// The lines of all steps for a help text.
    static var help: String {
        all.flatMap(\.forms).map { form, purpose in
            var lines = ["  \(form)"]
            // A long form has a line of its own.
            if form.count + 4 > column { lines.append("") }
            lines[lines.count - 1] += String(repeating: " ", count: column - lines[lines.count - 1].count)
            for (index, word) in purpose.split(separator: " ").enumerated() {
                if lines[lines.count - 1].count + 1 + word.count > width {
                    lines.append(String(repeating: " ", count: column) + word)
                } else {
                    lines[lines.count - 1] += (index == 0 ? "" : " ") + word
                }
            }
            return lines.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}

extension ScenarioForm {
    static let networks = Network.Kind.allCases.map(\.rawValue) + ["none"]
    static let watts = -SyntheticBattery.greatestPower...SyntheticBattery.greatestPower
    static let poses = Orientation.Pose.allCases.filter { $0 != .unknown }
    /// The largest number of a vector, which is more than a phone survives.
    static let largestNumber = 1_000.0
    /// The longest wait in seconds; more than a week is probably a typing error.
    static let longestWait = 604_800.0
    /// The longest burst, which takes minutes.
    static let longestBurst = 1_000_000
    private static let longestSleep = SyntheticPhone.longestSleep / .seconds(1)
}
