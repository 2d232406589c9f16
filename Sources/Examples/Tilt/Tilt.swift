// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille

/// Prints the position of content that slides with the tilt of the device, such as `0.500 0.482`.
///
///     Tilt            the device rests at 45 degrees
///     Tilt calibrate  the device rests as it is held now
///
/// In the background, the sensor is off and the content stands still.
@main
enum Tilt {
    /// The time between samples: thirty a second, one for each tick.
    private static let interval: Duration = .milliseconds(33)

    static func main() async throws {
        let device = try await Device.connect()
        let rest = CommandLine.arguments.contains("calibrate") ? try await device.state(of: .motion).acceleration : nil
        var scroll = TiltScroll(rest: rest)
        let subscription = try await device.subscribe(
            to: [.motion],
            options: SubscriptionOptions(policies: [.motion: Policy(interval: interval)], name: "tilt"))
        for try await event in subscription {
            guard let motion = event.motion, let acceleration = motion.acceleration else { continue }
            let before = scroll.offset
            scroll.take(acceleration, at: motion.takenAt)
            guard scroll.offset != before else { continue }
            print("\(thousandths(scroll.offset.x)) \(thousandths(scroll.offset.y))")
            fflush(nil)
        }
    }

    private static func thousandths(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}
