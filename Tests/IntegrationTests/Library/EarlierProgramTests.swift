// SPDX-License-Identifier: Apache-2.0

import Testing

/// Programs of earlier versions, which each later version compiles: they are added, and never changed.
@Suite(.blocking, .timeLimit(.minutes(10))) struct EarlierProgramTests {
    /// Handles every case, before the aspects `sleep` and `switches`.
    static let beforeSleep = """
        import Reveille
        import ReveilleTesting

        func text(_ reading: Reading) -> String {
            switch reading {
            case .locale(let locale): locale.identifier
            case .defaults(let defaults): defaults.domains.flatMap(\\.keys).joined(separator: " ")
            case .battery(let battery): "\\(battery.level ?? 0) \\(text(battery.state))"
            case .proximity(let proximity): proximity == .near ? "near" : "far"
            case .orientation(let orientation): text(orientation.pose)
            case .lifecycle(let lifecycle): text(lifecycle)
            case .motion(let motion): "\\(motion.acceleration?.x ?? 0)"
            case .shake(let shake): "\\(shake)"
            case .light(let light): "\\(light.lux ?? 0)"
            case .display(let display): "\\(display)"
            case .network(let network): "\\(network)"
            case .folders(let folders): folders.folders.map(\\.name).joined(separator: " ")
            case .power(let power): "\\(power.timeToEmpty ?? .zero)"
            case .published(let value): "\\(value)"
            @unknown default: "\\(reading.aspect): \\(reading)"
            }
        }

        func text(_ state: Battery.State) -> String {
            switch state {
            case .unknown, .unplugged, .charging, .full: state.rawValue
            @unknown default: "new"
            }
        }

        func text(_ pose: Orientation.Pose) -> String {
            switch pose {
            case .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight: "upright"
            case .faceUp, .faceDown, .unknown: "flat"
            @unknown default: "new"
            }
        }

        func text(_ lifecycle: Lifecycle) -> String {
            switch lifecycle {
            case .active, .inactive, .background, .suspended, .terminating: lifecycle.rawValue
            @unknown default: "new"
            }
        }

        func text(_ time: ScheduleTime) -> String {
            switch time {
            case .at(let moment): "\\(moment)"
            case .every(let duration, from: _): "\\(duration)"
            case .calendar(let rule, zone: let zone, from: _): "\\(rule.hour ?? 0) \\(zone ?? "")"
            @unknown default: "new"
            }
        }

        func text(_ background: Policy.Background) -> String {
            switch background {
            case .coalesce, .drop, .immediate, .end: "\\(background)"
            case .hold(limit: let limit): "\\(limit)"
            @unknown default: "new"
            }
        }

        func follow(_ device: Device, _ aspect: Aspect) async throws {
            for event in try await device.getAll(Set(Aspect.device)) { print(event.aspect, event) }
            let all: Set<Aspect> = [.battery, .orientation, "org.example.*"]
            let subscription = try await device.subscribe(
                to: all,
                options: SubscriptionOptions(
                    initial: true, policies: [.battery: Policy(background: .hold(limit: 8), interval: .seconds(1))],
                    name: "earlier"))
            for try await event in subscription {
                print(event.aspect, event.changeCount, event.isNetChange, event.droppedCount, text(event.reading))
            }
            for try await battery in device.updates(of: .battery) { print(text(battery.state)) }
            let answer = try await device.check(.multitasking)
            switch answer {
            case .yes, .unknown: break
            case .no(let reason): print(reason)
            @unknown default: break
            }
            for await state in await device.connectionStates {
                switch state {
                case .connected: break
                case .disconnected(let error): if error.code == .noBus { print(error) }
                @unknown default: break
                }
            }
            try await device.schedule(
                ScheduleRequest(
                    "tea", publishing: PublishedName("org.example.tea"),
                    .calendar(CalendarRule(weekdays: [.monday], hour: 7)), value: ["cups": 1]))
            for entry in try await device.scheduled() { print(text(entry.time), entry.firingCount) }
            try await device.post(.proximity(.near))
            try await device.publish(PublishedName("org.example.door"), ["open": 1])
        }
        """

    @Test("a program that handles every case of an earlier version compiles", arguments: [beforeSleep])
    func earlierProgram(program: String) throws {
        let run = try SwiftCompiler.check(program)
        #expect(run.code == 0, "\(run.errors)")
    }

    @Test("a program that assumes that no case is added is refused") func caseIsExpected() throws {
        let assuming = Self.beforeSleep.replacing(#/ +@unknown default: "new"\n/#, with: "")
        let run = try SwiftCompiler.check(assuming)
        #expect(
            run.errors.ranges(of: #/\d: error: switch (covers known cases|must be exhaustive)/#).count == 5,
            "\(run.errors)")
    }
}
