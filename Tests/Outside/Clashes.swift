// SPDX-License-Identifier: Apache-2.0

import Reveille

// A program whose own names are those of the library: its own hide them, and `Reveille.` reaches the others.

extension Duration {
    static func minutes(_ minutes: Int) -> Duration { .seconds(60 * minutes) }
    static func hours(_ hours: Int) -> Duration { .minutes(60 * hours) }
}

struct Event { var title = "lunch" }
struct Subscription { var price = 3 }
struct Device { var serial = "a" }
struct Policy { var isStrict = true }
struct Shell { var path = "/bin/sh" }
struct Network { var nodes = 3 }
struct Power { var exponent = 2 }
struct Light { var colour = "red" }
struct Motion { var text = "I move" }
struct Display { var lines = 4 }
struct Sleep { var hours = 8 }
struct Reading { var book = "a novel" }
struct Proximity { var metres = 3 }
struct Orientation { var north = true }
struct Defaults { var volume = 1 }
struct Capability { var canFly = false }
struct Timestamp { var seconds = 0 }
struct Positions { var rows: [Int] = [] }
struct Updates { var count = 0 }
enum Lifecycle { case egg, larva }
enum Chassis { case steel }
enum Weekday { case workday }

print(Event().title, Subscription().price, Device().serial, Policy().isStrict, Shell().path, Network().nodes)
print(Power().exponent, Light().colour, Motion().text, Display().lines, Sleep().hours, Reading().book)
print(Proximity().metres, Orientation().north, Defaults().volume, Capability().canFly, Timestamp().seconds)
print(
    Positions().rows, Updates().count, Lifecycle.egg, Chassis.steel, Weekday.workday, Duration.minutes(5),
    Duration.hours(1))

func follow(_ device: Reveille.Device) async throws {
    let policy = Reveille.Policy(interval: .minutes(5))
    let subscription: Reveille.Subscription = try await device.subscribe(
        to: [.battery, .network], options: SubscriptionOptions(policies: [.battery: policy]))
    for try await event in subscription { show(event) }
    let network: Reveille.Network = try await device.state(of: .network)
    let shell: Reveille.Shell = device.shell
    print(network.isReachable, try await shell.subscriptions().count)
}

func show(_ event: Reveille.Event) {
    let reading: Reveille.Reading = event.reading
    if case .light(let light) = reading { print((light as Reveille.Light).lux ?? 0) }
    print(event.changedAt as Reveille.Timestamp)
}
