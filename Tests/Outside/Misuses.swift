// SPDX-License-Identifier: Apache-2.0

import Reveille

// Each line with a call is refused by the compiler; Names.swift has the right forms.

extension PublishedName where Value == [String: Int] {
    static var counts: Self { Self("org.example.counts") }
}

func misuses(_ device: Device) async throws {
    try await device.publish(.battery, ["level": 1])
    try await device.publish("org.example.*", ["level": 1])
    try await device.publish("battery", ["level": 1])
    try await device.publish(.counts, ["level": "loud"])
    try await device.withdraw(.battery)
    _ = try await device.value(of: .battery)
    _ = try await device.value(of: .battery, as: Int.self)
    _ = try await device.value(of: "org.example.*")
    let numbers: Updates<Int?> = device.updates(of: .battery)
    let texts: Updates<[String: String]?> = device.updates(of: .counts)
    _ = device.updates(of: .lifecycle)
    _ = device.demand(for: .battery)
    _ = device.demand(for: "org.example.*")
    _ = try await device.history(of: .lifecycle)
    _ = try await device.history(of: "org.example.*")
    _ = try await device.get(.lifecycle)
    _ = try await device.state(of: .lifecycle)
    _ = try await device.state(of: .counts)
    _ = try await device.isAvailable("batery")
    _ = try await device.isAvailable(.lifecycle)
    _ = try await device.monitor(.lifecycle)
    _ = ScheduleRequest("a", publishing: .counts, .daily(hour: 7), value: ["level": "loud"])
    _ = ScheduleRequest("a", publishing: .battery, .daily(hour: 7), value: ["level": 1])
    _ = TypedAspect<Int>("org.example.counts")
    _ = try await device.battery
    _ = try await device.subscribe()
}
