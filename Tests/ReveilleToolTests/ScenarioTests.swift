// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleTool

/// The files of `reveille simulate`, and what is wrong with them.
@Suite struct ScenarioTests {
    private func scenario(_ text: String) throws -> Scenario { try Scenario(Array(text.utf8), file: "scenario") }

    @Test(
        "an error in a scenario is reported with its line and the expected syntax",
        arguments: [
            ("\n# comment\n  jump", "scenario:3: \"jump\" is invalid; the steps are start, wait, level"),
            ("levle 0.2", "scenario:1: \"levle 0.2\" is invalid; did you mean level?"),
            ("level 20", "scenario:1: \"level 20\" is invalid; usage: level 0..1 [BATTERY]"),
            ("level 0.2 charger", "scenario:1: \"level 0.2 charger\" is invalid; usage: level"),
            ("level nan", "scenario:1: \"level nan\" is invalid; usage: level"),
            ("rotate unknown", "scenario:1: \"rotate unknown\" is invalid; usage: rotate POSE: turn the phone to"),
            ("plug in", "scenario:1: \"plug in\" is invalid; usage: plug: connect the charger"),
            ("wait", "scenario:1: \"wait\" is invalid; usage: wait SECONDS"),
            ("wait -1", "scenario:1: \"wait -1\" is invalid; usage: wait SECONDS"),
            ("wait subscribed none", "scenario:1: \"wait subscribed none\" is invalid; usage: wait SECONDS"),
            ("locale", "scenario:1: \"locale\" is invalid; usage: locale NAME"),
            ("settings app.json", "scenario:1: \"settings app.json\" is invalid; usage: settings FILE TEXT"),
            ("settings ../../x 1", "scenario:1: \"settings ../../x 1\" is invalid; usage: settings FILE TEXT"),
            ("burst 0", "scenario:1: \"burst 0\" is invalid; usage: burst"),
            ("add battery1", "scenario:1: \"add battery1\" is invalid; usage: add"),
            ("remove phone", "scenario:1: \"remove phone\" is invalid; usage: remove"),
            ("start\nstart", "scenario:2: start may occur only once"),
            ("end\nstart", "scenario:1: \"end\" must come after start"),
        ])
    func invalidScenarioIsReported(scenario: String, message: String) throws {
        let invalid = try #require(throws: Scenario.Invalid.self) { try self.scenario(scenario) }
        #expect(invalid.errors.count == 1 && invalid.description.contains(message), "\(invalid)")
    }

    @Test(
        "an expectation that no event can meet is an error",
        arguments: [
            "", "weather", "battery", "battery level", "battery level 30", "battery colour red", "battery state near",
            "orientation portait", "proximity near changes", "proximity near changes -1", "proximity near 2 changes 1",
            "defaults", "battery plugged yes", "battery chargeStatus empty", "org.example.volume",
            "org.example.volume level", "org.example.* level 1", #"org.example.a {"a"}"#,
            "org.example.a level 1 changes many",
        ])
    func impossibleExpectationIsRefused(words: String) throws {
        try expectUsage("expect ASPECT", of: "expect " + words)
    }

    @Test(
        "a step with an invalid name, document or value is reported with the expected syntax",
        arguments: [
            ("publish volume {}", "publish NAME OBJECT"), ("publish org.example.* {}", "publish NAME OBJECT"),
            ("publish battery {}", "publish NAME OBJECT"), ("publish org.example.volume", "publish NAME"),
            ("publish org.example.volume 7", "publish NAME"), ("publish org.example.volume {level: 1}", "publish NAME"),
            ("withdraw", "withdraw NAME"), ("withdraw org.example.a b", "withdraw NAME"), ("document a", "document"),
            ("document ../a text", "document"), ("rename-document a", "rename-document"),
            ("remove-document a/b", "remove-document"),
        ])
    func invalidStepIsReported(step: String, usage: String) throws {
        try expectUsage(usage, of: step)
    }

    private func expectUsage(_ usage: String, of step: String) throws {
        let invalid = try #require(throws: Scenario.Invalid.self) { try scenario(step) }
        #expect(invalid.description.contains("is invalid; usage: \(usage)"), "\(invalid)")
    }

    @Test("all wrong lines of a scenario are named, and many are counted") func allErrorsAreNamed() throws {
        let invalid = try #require(throws: Scenario.Invalid.self) { try scenario("plug\njump\nend\nlevel 2\nstart") }
        #expect(invalid.errors.map { $0.prefix(11) } == ["scenario:2:", "scenario:4:", "scenario:3:"])
        let many = try #require(throws: Scenario.Invalid.self) {
            try scenario(String(repeating: "jump\n", count: 30))
        }
        #expect(many.errors.count == 21 && many.errors.last == "scenario: and 10 other errors")
    }

    @Test("the lines of a scenario may end as on Windows") func lineEndsOfWindowsAreRead() throws {
        let lines = try scenario("# level\r\nlevel 0.4\r\nstart\r\n\r\nwait delivered\r\n").lines
        #expect(lines.map(\.text) == ["level 0.4", "start", "wait delivered"])
        #expect(lines.map(\.number) == [2, 3, 5] && lines.first?.remark == "level")
    }
}
