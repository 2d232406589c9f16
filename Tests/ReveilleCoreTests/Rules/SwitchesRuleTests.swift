// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct SwitchesRuleTests {
    private func reading(of devices: [[CaseSwitch: Bool]], _ properties: [String: Bool] = [:]) -> Switches {
        var rule = SwitchesRule()
        return rule.reading(of: devices, properties: properties)
    }

    @Test("a switch that no device has is unknown") func missingSwitchIsUnknown() {
        #expect(reading(of: []) == .unknown)
        #expect(reading(of: [[.tabletMode: false]]) == Switches(isInTabletMode: false))
    }

    @Test("a switch is on if any device says so")
    func anyDeviceDecides() {
        let expected = Switches(isLidClosed: true, isInTabletMode: false, isDocked: true)
        #expect(
            reading(of: [
                [.lid: false, .tabletMode: false], [.lid: true], [.lid: false, .tabletMode: false, .dock: true],
            ]) == expected)
    }

    @Test("the login manager is asked only for switches that no device has")
    func neededProperties() {
        #expect(SwitchesRule.properties(besides: []) == ["LidClosed", "Docked"])
        #expect(SwitchesRule.properties(besides: [.lid, .tabletMode]) == ["Docked"])
        #expect(SwitchesRule.properties(besides: [.lid, .dock]) == [])
    }

    @Test("a device is preferred to the login manager") func deviceIsPreferred() {
        let reading = reading(of: [[.lid: false, .dock: false]], ["LidClosed": true, "Docked": true])
        #expect(reading == Switches(isLidClosed: false, isDocked: false))
    }

    @Test("the lid of the login manager is unknown until it was closed once")
    func openLidIsUnknownAtFirst() {
        var rule = SwitchesRule()
        let lids = [false, true, false, true, false].map { isClosed in
            rule.reading(of: [], properties: ["LidClosed": isClosed, "Docked": false])
        }
        #expect(lids.map(\.isLidClosed) == [nil, true, false, true, false])
        #expect(lids.allSatisfy { $0.isDocked == false && $0.isInTabletMode == nil })
        // A manager that has gone says nothing about the lid.
        #expect(rule.reading(of: [], properties: [:]) == .unknown)
    }

    @Test("a lid of a device does not prove that the login manager has one")
    func lidOfADeviceProvesNothing() {
        var rule = SwitchesRule()
        #expect(rule.reading(of: [[.lid: true]], properties: ["LidClosed": false]).isLidClosed == true)
        #expect(rule.reading(of: [], properties: ["LidClosed": false]).isLidClosed == nil)
    }

    @Test(
        "a word changes one switch",
        arguments: [
            ("closed", Switches(isLidClosed: true, isDocked: true)),
            ("open", Switches(isLidClosed: false, isDocked: true)),
            ("tablet", Switches(isInTabletMode: true, isDocked: true)),
            ("laptop", Switches(isInTabletMode: false, isDocked: true)), ("undocked", Switches(isDocked: false)),
        ])
    func wordChangesOneSwitch(word: String, expected: Switches) {
        var switches = Switches(isDocked: true)
        #expect(switches.abbreviate(word) && switches == expected)
        #expect(!switches.abbreviate("ajar") && switches == expected)
    }

    @Test func descriptionNamesWhatIsKnown() {
        #expect(
            "\(Switches(isLidClosed: true, isInTabletMode: false, isDocked: true))" == "lid closed, laptop mode, docked"
        )
        #expect("\(Switches(isDocked: false))" == "undocked" && "\(Switches.unknown)" == "unknown")
    }
}
