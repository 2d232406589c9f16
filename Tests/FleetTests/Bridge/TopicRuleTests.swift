// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSystem
import Testing

@Suite("The rules that a broker lacks")
struct TopicRuleTests {
    @Test(
        "the example has the rule for each topic of a bridge",
        arguments: [
            "reveille/v1/k/state/battery", "reveille/v1/k/status", "reveille/v1/k/desired/+",
            "reveille/v1/group/shops/desired/+", "homeassistant/device/reveille/k/config", "homeassistant/status",
        ])
    func example(topic: String) throws {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let examples = root + "/Scripts/packaging/debian/examples"
        let bytes = try RequiredFile.read(examples + "/mosquitto-devices.acl", limit: 1 << 16)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.contains(try DeviceID("k").rule(for: topic)))
    }
}
