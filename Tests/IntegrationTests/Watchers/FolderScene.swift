// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleLink
import ReveilleTesting
import Testing

struct FolderScene {
    let bus: BusProcess
    let device: Device
    private let folder: String

    init() async throws {
        bus = try BusProcess(configuration: "{folders: {documents: '~/Documents'}}")
        folder = bus.directory.path + "/root/home/u/Documents"
        mkdir(folder, 0o755)
        // A bus built for debugging lists thousands of names for seconds, longer on a busy machine.
        var patience = Patience()
        patience.answer = .seconds(60)
        device = try await Device.connect(to: bus.address, patience: patience)
        try await device.refresh()
    }

    func path(_ name: String) -> String { folder + "/" + name }

    /// Changes the folder, and waits until the bus has seen the result.
    func change(_ action: () throws -> Void) async throws {
        try action()
        try await device.refresh()
    }

    func write(_ name: String, _ text: String = "") throws {
        try bus.directory.write(text, to: "root/home/u/Documents/" + name)
    }

    func move(_ name: String, _ other: String) { #expect(rename(path(name), path(other)) == 0) }

    func subscribe(_ name: String = "reader") async throws -> Reveille.Subscription {
        try await device.subscribe(to: [.folders], options: SubscriptionOptions(name: name))
    }

    /// Returns the differences in words that a subscriber receives when it wakes, and the event.
    func wake(_ subscription: Reveille.Subscription) async throws -> (words: [String], event: Event) {
        try await subscription.enterForeground()
        let event = try #require(await subscription.next())
        return (event.folders?.folders.flatMap(\.words) ?? [], event)
    }
}
