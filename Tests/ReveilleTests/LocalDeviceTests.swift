// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleLocal
import ReveilleTesting
import Testing

/// A device whose watchers run in this process and watch its own files.
@Suite(.timeLimit(.minutes(10))) struct LocalDeviceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("LANG=de_DE.UTF-8\n", to: "root/etc/locale.conf")
        try directory.write("{ defaults: { paths: ['/settings'] } }", to: "config.json5")
        try directory.write(#"{"theme": "dark"}"#, to: "root/settings/app.json")
    }

    private func device() async throws -> Device {
        try await Device.local(configuration: directory.path + "/config.json5", root: directory.path + "/root")
    }

    @Test func filesAreReadAndWatched() async throws {
        let device = try await device()
        #expect(try await device.state(of: .locale).identifier == "de_DE")
        #expect(try await device.state(of: .defaults).domains.map(\.name) == ["app"])
        let subscription = try await device.subscribe(to: [.locale, .defaults])
        try directory.write("LANG=es_ES.UTF-8\n", to: "root/etc/locale.conf")
        guard case .locale(let locale) = try await subscription.next()?.reading else {
            Issue.record("no event of the locale")
            return
        }
        #expect(locale.identifier == "es_ES")
        try directory.write(#"{"theme": "light"}"#, to: "root/settings/app.json")
        guard case .defaults(let defaults) = try await subscription.next()?.reading else {
            Issue.record("no event of the settings")
            return
        }
        #expect(defaults.domains.map(\.keys) == [["theme"]])
    }

    @Test func manyDevicesLeaveNothingBehind() async throws {
        for _ in 0..<50 {
            let device = try await Device.local(
                configuration: directory.path + "/config.json5", root: directory.path + "/root")
            _ = try await device.state(of: .locale)
        }
        // If their threads and descriptors leaked, the process would exceed its limits.
        #expect(try await device().state(of: .locale).identifier == "de_DE")
    }

    @Test func invalidConfigurationIsAnErrorThatNamesTheKey() async throws {
        try directory.write("{ battery: { pollInterval: 'soon' } }", to: "config.json5")
        let error = await #expect(throws: ReveilleError.self) { try await device() }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("battery.pollInterval") == true)
        #expect(error?.description.contains(directory.path) == true)
    }
}
