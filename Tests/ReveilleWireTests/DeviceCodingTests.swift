// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing
import Varlink

@testable import ReveilleWire

/// The calls and replies of the interface `org.reveille.Device`.
@Suite struct DeviceCodingTests {
    private static let info = DeviceInfo(
        name: "pine", model: "PinePhone", vendor: nil, chassis: .handset, system: "postmarketOS", systemVersion: "",
        kernel: "6.1", identifier: "a", processors: 4, frequency: nil, memory: 1 << 31)

    @Test func callsAreDecodedAsTheyWereEncoded() throws {
        #expect(try DescribeDevice.called() == DescribeDevice())
        for check in [CheckCapabilities([]), CheckCapabilities(["proximity", "", "\u{1F4F1}"])] {
            #expect(try CheckCapabilities.resolving(Call(check)) == check)
        }
    }

    @Test(
        arguments: [
            [:], ["capabilities": nil], ["capabilities": "proximity"], ["capabilities": [1]], ["capabilities": [nil]],
            ["capabilities": ["proximity": true]],
        ] as [JSONObject])
    func invalidCapabilitiesAreNamed(parameters: JSONObject) {
        #expect(throws: CallError.invalidParameter("capabilities")) {
            try CheckCapabilities.called(with: parameters)
        }
    }

    @Test func capabilitiesAreLimited() throws {
        let limit = BusInterface.capabilityLimit
        #expect(throws: Never.self) {
            try CheckCapabilities.resolving(Call(CheckCapabilities(Array(repeating: "a", count: limit))))
        }
        #expect(throws: CallError.invalidParameter("capabilities")) {
            try CheckCapabilities.resolving(Call(CheckCapabilities(Array(repeating: "a", count: limit + 1))))
        }
    }

    @Test func replyHasTheTypesOfTheInterface() throws {
        let method = try #require(BusInterface.all()[1].methods["GetInfo"])
        for info in [Self.info, Self.changed { $0.frequency = 1 }, Self.changed { $0.identifier = nil }] {
            let reply = try Reply(parsing: Array(info.encoded().dropLast()))
            #expect(reply.parameters.members.map(\.name) == method.output.fields.map(\.name))
            #expect(try DeviceInfo(reply.parameters, noting: UnknownWords()) == info)
        }
        #expect(Self.changed { $0.identifier = nil }.parameters["identifier"] == "")
        #expect(Self.info.parameters["vendor"] == .null)
    }

    private static func changed(_ change: (inout DeviceInfo) -> Void) -> DeviceInfo {
        var info = info
        change(&info)
        return info
    }

    @Test func unknownChassisOfANewerBusIsNull() throws {
        var parameters = Self.info.parameters
        parameters["chassis"] = "spaceship"
        parameters["color"] = "red"
        #expect(try DeviceInfo(parameters, noting: UnknownWords()).chassis == nil)
    }

    @Test(arguments: ["name", "processors", "memory", "identifier"]) func invalidReplyIsNamed(field: String) {
        var parameters = Self.info.parameters
        parameters[field] = .integer(-1)
        #expect(throws: CallError.invalidParameter(field)) {
            try DeviceInfo(parameters, noting: UnknownWords())
        }
    }

    @Test func answersAreDecodedAsTheyWereEncoded() throws {
        let checks = [
            CapabilityCheck("battery", .yes), CapabilityCheck("proximity", .no("no sensor")),
            CapabilityCheck("weather", .unknown),
        ]
        #expect(try [CapabilityCheck](checks.parameters, noting: UnknownWords()) == checks)
        #expect(checks[0].structure == ["capability": "battery", "answer": "yes", "reason": .null])
    }

    @Test("B162: an answer that a later version adds is unknown") func newerAnswerIsUnknown() throws {
        let reply: JSONObject = ["answers": [["capability": "battery", "answer": "perhaps", "reason": nil]]]
        #expect(
            try [CapabilityCheck](reply, noting: UnknownWords()) == [CapabilityCheck("battery", .unknown)])
    }
}
