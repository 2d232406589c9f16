// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleCore
import ReveilleSimulation

/// What happens on a device from one midnight to the next, determined by a seed.
struct PhoneDay {
    /// A change on the device.
    struct Step {
        /// Seconds since midnight.
        var time: Double
        /// The new state.
        var reading: Reading
    }

    /// The length of a day in seconds.
    static let length = 86_400.0

    private let life: DayScenario
    private var random: SplitMix64
    private var steps: [Step] = []
    private var pose = Orientation(pose: .faceUp, planar: .portrait)
    private var proximity = Proximity.far
    private var settings: [String: Defaults.Fingerprint] = [:]

    /// Creates the changes of a day, in the order of time.
    static func steps(of life: DayScenario, seed: UInt64) -> [Step] {
        var day = PhoneDay(life: life, random: SplitMix64(seed: seed))
        let uses = day.live()
        day.drain(over: uses)
        return day.steps.sorted { $0.time < $1.time }
    }

    private init(life: DayScenario, random: SplitMix64) {
        self.life = life
        self.random = random
    }

    // MARK: - Use

    /// Plays all uses of the day, and returns their times.
    private mutating func live() -> [Range<Double>] {
        var uses: [Range<Double>] = []
        var time = life.awake.lowerBound
        let pause = (life.awake.upperBound - life.awake.lowerBound) / Double(life.uses)
        while time < life.awake.upperBound {
            // Pauses are exponential, so uses come in bursts, as with people.
            time += interval(pause * 0.85)
            guard time < life.awake.upperBound else { break }
            let isCall = isLikely(life.callShare)
            let end = min(time + 8 + interval(isCall ? 150 : life.useSeconds), life.awake.upperBound + 600)
            if isCall { call(from: time, to: end) } else { use(from: time, to: end) }
            uses.append(time..<end)
            time = end
        }
        return uses
    }

    private mutating func isLikely(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }

    /// Returns a random duration with an exponential distribution.
    private mutating func interval(_ mean: Double) -> Double {
        -mean * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &random))
    }

    private mutating func use(from start: Double, to end: Double) {
        let isFromPocket = isLikely(life.pocketShare)
        if isFromPocket { set(.far, at: start) }
        turn(.portrait, at: start + 1)
        var time = start + 1 + interval(life.turnSeconds)
        while time < end - 2 {
            let upright = Orientation.Pose.allCases.filter { $0 != .unknown && $0 != pose.pose && $0 != .faceDown }
            turn(upright.randomElement(using: &random) ?? .portrait, at: time)
            time += interval(life.turnSeconds)
        }
        if isLikely(life.settingShare) { change(at: start + (end - start) / 2) }
        turn(isLikely(0.3) ? .faceDown : .faceUp, at: end - 1)
        if isLikely(life.pocketShare) { set(.near, at: end) }
    }

    private mutating func call(from start: Double, to end: Double) {
        set(.far, at: start)
        turn(.portrait, at: start + 1)
        var time = start + 3
        while time < end - 3 {
            set(proximity == .near ? .far : .near, at: time)
            time += interval(40)
        }
        set(.far, at: end - 2)
        turn(.faceUp, at: end)
    }

    private mutating func turn(_ next: Orientation.Pose, at time: Double) {
        guard next != pose.pose else { return }
        pose = Orientation(pose: next, planar: next.isPlanar ? next : pose.planar)
        steps.append(Step(time: time, reading: .orientation(pose)))
    }

    private mutating func set(_ next: Proximity, at time: Double) {
        guard next != proximity else { return }
        proximity = next
        steps.append(Step(time: time, reading: .proximity(next)))
    }

    private mutating func change(at time: Double) {
        let keys = [
            "color-scheme", "text-scaling-factor", "sound-volume", "night-light", "do-not-disturb", "wallpaper",
        ]
        settings[keys.randomElement(using: &random) ?? keys[0]] = random.next()
        let domain = Defaults.Domain(
            name: "org.example.desktop", path: "/home/user/.config/desktop.conf", values: settings, isOpaque: false)
        steps.append(Step(time: time, reading: .defaults(Defaults(domains: [domain]))))
    }

    // MARK: - Battery

    /// Plays the battery, second by second: a charger at night and when it is low, and more drain while in use.
    private mutating func drain(over uses: [Range<Double>]) {
        var (level, isPlugged, index) = (1.0, true, 0)
        var last: Battery?
        for second in stride(from: 0.0, to: Self.length, by: 1) {
            while index < uses.count, uses[index].upperBound < second { index += 1 }
            let isUsed = index < uses.count && uses[index].contains(second)
            let isNight = second < life.awake.lowerBound || second >= life.awake.upperBound
            if !isUsed { isPlugged = life.isAlwaysPlugged || isNight || (isPlugged ? level < 0.9 : level < life.low) }
            level += (isPlugged ? life.charge : isUsed ? -life.drain : -life.idleDrain) / 3_600
            level = min(max(level, 0.01), 1)
            let shown = (level * 100).rounded() / 100
            let status: Battery.ChargeStatus = !isPlugged ? .discharging : shown == 1 ? .full : .charging
            let battery = Battery(
                state: !isPlugged ? .unplugged : shown == 1 ? .full : .charging, level: shown, isPlugged: isPlugged,
                chargeStatus: status, packs: [Battery.Pack(name: "BAT0", level: shown, chargeStatus: status)])
            if battery != last, second > 0 { steps.append(Step(time: second, reading: .battery(battery))) }
            last = battery
        }
    }
}
