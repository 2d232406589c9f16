// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

/// What a real bridge announces to Home Assistant.
@Suite(
    .blocking, .timeLimit(.minutes(5)), .enabled(if: BridgeScene.isAvailable, "no mosquitto in .build-mosquitto"))
struct HomeAssistantBridgeTests {
    @Test("B232: the members of a name are announced, and one that went while the bridge was dead is removed")
    func members() throws {
        let scene = try BridgeScene(#"aspects: ["org.example.*"], homeAssistant: true"#)
        let observer = try scene.observer()
        let topic = "homeassistant/device/reveille/kiosk-7/config"
        func waitForAnnouncement(_ isExpected: @escaping (JSONObject) -> Bool) throws {
            _ = try observer.wait(for: topic) { $0["cmps"]?.objectValue.map(isExpected) ?? false }
        }
        let (level, title) = ("org_--example_--player_-m_level", "org_--example_--player_-m_title")
        try scene.publish("org.example.player", ["level": 1])
        try waitForAnnouncement { $0[level]?.objectValue?["unique_id"] != nil && $0[title] == nil }
        try scene.publish("org.example.player", ["level": 1, "title": "Clocks"])
        try waitForAnnouncement { $0[title]?.objectValue?["unique_id"] != nil }
        scene.killBridge()
        try scene.publish("org.example.player", ["title": "Clocks"])
        try scene.startBridge()
        try waitForAnnouncement { $0[level] == ["p": "sensor"] && $0[title]?.objectValue?["unique_id"] != nil }
    }
}
