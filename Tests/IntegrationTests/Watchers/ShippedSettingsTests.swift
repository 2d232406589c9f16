// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import Testing

/// Settings where people have them, with the configuration that people have: none.
@Suite(.blocking, .timeLimit(.minutes(5))) struct ShippedSettingsTests {
    private let bus: BusProcess
    private let device: Device

    init() async throws {
        bus = try BusProcess()
        var patience = Patience()
        patience.answer = .seconds(60)
        device = try await Device.connect(to: bus.address, patience: patience)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try bus.directory.write(bytes: bytes, to: "root/home/u/.config/" + name)
    }

    @Test func settingsOfAProgramAreDelivered() async throws {
        let subscription = try await device.subscribe(to: [.defaults])
        try write("app/settings.json", Array(#"{"theme": "dark"}"#.utf8))
        let event = try #require(await subscription.next())
        #expect(event.settings.map(\.domain) == ["app/settings"])
        #expect(event.settings.map(\.keys) == [["theme"]])
    }

    @Test func keysOfDconfAndItsRegionAreDelivered() async throws {
        let subscription = try await device.subscribe(to: [.defaults, .locale])
        try write(
            "dconf/user", try RequiredFile.read(Package.root + "/Tests/Fuzzing/Corpus/dconf/compiled", limit: 4_096))
        var seen: [Aspect: Event] = [:]
        while seen.count < 2, let event = try await subscription.next() { seen[event.aspect] = event }
        #expect(seen[.defaults]?.settings.map(\.domain) == ["dconf"])
        #expect(seen[.defaults]?.settings.first?.keys.contains("/org/gnome/desktop/interface/color-scheme") == true)
        #expect(seen[.locale]?.locale?.time == "de_DE")
    }

    @Test func folderThatIsLeftIsReadBeforeAWakeDelivers() async throws {
        try write("app/settings.json", Array("{}".utf8))
        let subscription = try await device.subscribe(to: [.defaults])
        try await subscription.enterBackground()
        var source = ""
        while !source.contains("read rarely") {
            try write("app/cache.db", [1])
            source = try await device.aspects().first { $0.aspect == .defaults }?.source ?? ""
        }
        #expect(source.hasSuffix("/.config/app"))
        try write("app/settings.json", Array(#"{"theme": "dark"}"#.utf8))
        try await subscription.enterForeground()
        let event = try #require(await subscription.next())
        #expect(event.settings.map(\.keys) == [["theme"]])
    }
}
