// SPDX-License-Identifier: Apache-2.0

import Reveille

// The right forms of what Misuses.swift does wrong.

struct Volume: Codable, Hashable {
    var level: Double
}

struct Track: Decodable {
    var title: String
}

extension PublishedName where Value == Volume {
    static var volume: Self { Self("org.example.volume") }
}

extension PublishedName where Value == [String: Int] {
    static func download(_ number: Int) -> Self { Self("org.example.download.\(number)") }
}

extension Reading {
    var spare: Battery? { nil }
}

func publish(_ device: Device) async throws {
    try await device.publish(.volume, Volume(level: 0.4))
    try await device.publish(.download(7), ["received": 1_024], whileConnected: true)
    try await device.publish(PublishedName("org.example.player"), ["title": "Clocks"])
    try await device.withdraw(.volume)
    for try await isNeeded in device.demand(for: .volume) { print(isNeeded) }
    for try await needed in device.demand(for: ["org.example.volume", "org.example.download.*"]) { print(needed.count) }
    let request = ScheduleRequest("loud", publishing: .volume, .daily(hour: 7), value: Volume(level: 1))
    try await device.schedule(request)
}

func read(_ device: Device) async throws {
    let level: Double? = try await device.value(of: .volume)?.level
    let battery: Battery = try await device.state(of: .battery)
    print(level ?? 0, battery.level ?? 0, try await device.isAvailable(.battery))
    for try await battery in device.updates(of: .battery) { print(battery.state) }
    for try await volume in device.updates(of: .volume) { print(volume?.level ?? 0) }
    for event in try await device.history(of: .battery) { print(event) }
    for event in try await device.history(of: .volume, limit: 3) { print(event) }
    for event in try await device.getAll([.battery, "org.example.*"]) { print(event, try await device.get(.volume)) }
    let track = PublishedName<Track>("org.example.player")
    print(try await device.value(of: track)?.title ?? "")
}

func subscribe(_ device: Device) async throws {
    let volume = PublishedName.volume.aspect
    let options = SubscriptionOptions(
        initial: true, policies: [volume: Policy(interval: .milliseconds(100)), "org.example.*": Policy()],
        name: "mixer")
    let subscription = try await device.subscribe(
        to: [.battery, .lifecycle, volume, "org.example.*"], options: options)
    for try await event in subscription {
        if let lifecycle = event.lifecycle { print(lifecycle) }
        if let volume = try event.value(of: .volume) { print(volume.level) }
        if event.spare != nil { print("a member of an extension is what the extension says") }
    }
    for try await events in subscription.batches { print(events.count) }
}

@MainActor func watch(_ device: Device) async throws {
    let battery = try await device.monitor(.battery)
    let volume = try await device.monitor(.volume, options: SubscriptionOptions(name: "mixer"))
    print(battery.value.level ?? 0, volume.value?.level ?? 0)
    let motion = try await device.observe(
        .motion, options: SubscriptionOptions(policies: [.motion: Policy(interval: .milliseconds(20))])
    ) { event in
        print(event.motion?.acceleration as Any)
    }
    motion.cancel()
}
