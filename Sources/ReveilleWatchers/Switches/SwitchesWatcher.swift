// SPDX-License-Identifier: Apache-2.0

import Glibc
package import ReveilleCore
import ReveilleHost
package import ReveilleSystem

/// Watches the switches of the case, whose changes are events of input devices: nothing is polled.
///
/// For a switch that no device has, or whose device cannot be read, the login manager is asked. It reports no changes, so
/// it is asked at the start, for each fresh sample, and when the machine wakes. Loop thread only.
package final class SwitchesWatcher: Watcher {
    package let aspect = BuiltInAspect.switches
    private let loop: EventLoop
    private let feed: DeviceFeed
    private let root: String
    private let context: WatcherContext
    private var interest: DeviceFeed.Interest?
    private var devices: [SwitchDevice: (input: InputDevice, source: EventSource)] = [:]
    private var rule = SwitchesRule()
    private var question: LoginProperties?
    /// How long the next question may take; it doubles while the login manager is late.
    private var patience = Pace.sampleTimeout
    private var answer: LoginProperties.Answer?
    private var properties: [String: Bool] = [:]
    private var waiting: [() -> Void] = []
    private let problem: SourceProblem
    private let loginProblem: SourceProblem
    private let finder: DeviceReader<(), [SwitchDevice]>

    /// Creates a watcher that is off.
    package init(loop: EventLoop, feed: DeviceFeed, root: String, context: WatcherContext) {
        self.loop = loop
        self.feed = feed
        self.root = root
        self.context = context
        problem = SourceProblem(context)
        loginProblem = SourceProblem(context)
        finder = DeviceReader(loop: loop, slow: feed.slow, of: ["input"], nothing: ()) {
            _ throws(SystemError) in try SwitchDevice.all()
        }
        finder.taken = weakly(self) { watcher, present, _ in watcher.use(present) }
    }

    package var pace: Pace = .off {
        didSet {
            guard (oldValue == .off) != (pace == .off) else { return }
            pace == .off ? rest() : start()
        }
    }

    /// Whether the login manager is asked, which reports no changes.
    package var mayLag: Bool { !neededProperties.isEmpty && !properties.isEmpty }

    private func start() {
        problem.attempt { () throws(SystemError) in
            interest = try feed.listen(
                to: ["input"],
                changed: weakly(self) { watcher, changes in
                    if changes.areIncomplete { watcher.context.overflowed() }
                    watcher.finder.read()
                })
        }
        finder.read()
    }

    /// Closes everything, unless a caller still waits for the login manager.
    private func rest() {
        interest = nil
        guard waiting.isEmpty else { return }
        question = nil
        close()
    }

    private func close() {
        for device in devices.values { device.source.cancel() }
        devices = [:]
    }

    package func refresh(then completion: @escaping () -> Void) {
        waiting.append(finder.bounded(completion))
        // An answer that is under way may be older than this call.
        question = nil
        finder.read()
    }

    private func use(_ present: Result<[SwitchDevice], SystemError>) {
        guard pace != .off || !waiting.isEmpty else { return }
        if let present = problem.attempt({ () throws(SystemError) in try present.get() }) { adopt(present) }
        if question == nil { ask() }
    }

    private func ask() {
        let needed = neededProperties
        guard !needed.isEmpty else { return finish() }
        question = LoginProperties(needed, loop: loop, timeout: patience, then: weakly(self) { $0.take($1) })
    }

    private func take(_ answer: LoginProperties.Answer) {
        question = nil
        self.answer = answer
        switch answer {
        case .values(let values): properties = values
        case .absent: properties = [:]
        case .late(let reason), .failed(let reason):
            loginProblem.warn("login manager: \(reason); the previous reading is kept")
        }
        if case .values = answer { loginProblem.clear() }
        finish()
        guard case .late = answer else { return patience = Pace.sampleTimeout }
        patience *= 2
        if pace != .off, question == nil { ask() }
    }

    private func finish() {
        report()
        let served = waiting
        waiting = []
        if pace == .off { close() }
        for completion in served { completion() }
    }

    private func report() {
        problem.attempt { () throws(SystemError) in
            let states = try devices.map { device, open throws(SystemError) in try device.states(open.input) }
            context.report(.switches(rule.reading(of: states, properties: properties)))
        }
    }

    // MARK: - Devices

    private var neededProperties: [String] {
        SwitchesRule.properties(besides: Set(devices.keys.flatMap(\.switches)))
    }

    /// Opens the devices that are present now, and closes the others.
    private func adopt(_ present: [SwitchDevice]) {
        for (device, open) in devices where !present.contains(device) {
            open.source.cancel()
            devices[device] = nil
        }
        for device in present where devices[device] == nil {
            do throws(SystemError) {
                try open(device)
            } catch {
                // The login manager may have it. udev may grant access to the node a moment later.
                problem.warn("\(error); retried when a device changes")
            }
        }
    }

    private func open(_ device: SwitchDevice) throws(SystemError) {
        let input = try InputDevice(node: device.node)
        let source = try loop.watch(
            input.number, for: .readable, priority: .watcher,
            handler: weakly(self) { watcher, _ in watcher.changed(device) })
        devices[device] = (input, source)
    }

    private func changed(_ device: SwitchDevice) {
        guard let open = devices[device] else { return }
        guard !open.input.drain() else { return report() }
        open.source.cancel()
        devices[device] = nil
        finder.read()
    }

    // MARK: - Descriptions

    package var source: SourceDescription {
        finder.source { present in
            let readable = present.filter(\.isReadable)
            let needed = SwitchesRule.properties(besides: Set(readable.flatMap(\.switches)))
            var reasons = present.filter { !$0.isReadable }.map { "\($0.title) cannot be read" }
            var sources = readable.map(\.title)
            // The login manager has the switches of input devices, and reports those of none as off.
            let isKnown = !present.isEmpty || rule.hasLid || properties.values.contains(true)
            switch answer {
            case nil where !isKnown, .values? where !isKnown: break
            case .values(let values)? where needed.contains { values[$0] != nil }:
                sources.append("login manager (\(needed.filter { values[$0] != nil }.joined(separator: ", ")))")
            case nil where LoginProperties.isThere(root: root) && !needed.isEmpty: sources.append("login manager")
            case let answer?: reasons.append("\(answer)")
            case nil: break
            }
            guard sources.isEmpty else { return .available(sources.joined(separator: ", ")) }
            return .unavailable((["no switch of the case can be read"] + reasons).joined(separator: "; "))
        }
    }

    package func examine() -> Examination {
        Examination(orAdvice: "switches cannot be listed") { () throws(SystemError) in
            var examination = Examination()
            var states: [[CaseSwitch: Bool]] = []
            for device in try SwitchDevice.all() {
                do throws(SystemError) {
                    let found = try device.states(InputDevice(node: device.node))
                    states.append(found)
                    let words = device.switches.map { "\($0) " + (found[$0] == true ? "on" : "off") }
                    examination.add(device.title, words.joined(separator: ", "))
                } catch {
                    examination.add(device.title, "\(error)")
                    examination.advice.append("join the group input to read \(device.node)")
                }
            }
            let needed = SwitchesRule.properties(besides: Set(states.flatMap(\.keys)))
            var properties: [String: Bool] = [:]
            if !needed.isEmpty {
                let answer = LoginProperties.answer(needed, within: Pace.sampleTimeout)
                if case .values(let values) = answer { properties = values }
                examination.add("login manager", "\(answer)")
            }
            var rule = rule
            examination.add("result", "\(rule.reading(of: states, properties: properties))")
            return examination
        }
    }
}

/// An input device with switches of the case.
private struct SwitchDevice: Hashable, Sendable {
    let title: String
    let node: String
    let switches: [CaseSwitch]

    static func all() throws(SystemError) -> [SwitchDevice] {
        try UdevDevice.all(of: "input").compactMap { device in
            guard let node = device.node, let bits = device.switches else { return nil }
            let switches = CaseSwitch.allCases.filter { bits.contains($0.rawValue) }
            return switches.isEmpty ? nil : SwitchDevice(title: device.name, node: node, switches: switches)
        }
    }

    var isReadable: Bool { access(node, R_OK) == 0 }

    func states(_ input: InputDevice) throws(SystemError) -> [CaseSwitch: Bool] {
        var states: [CaseSwitch: Bool] = [:]
        for item in switches { states[item] = try input.isOn(switch: item.rawValue) }
        return states
    }
}
