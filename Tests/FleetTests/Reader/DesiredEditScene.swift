// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleSimulation
import Varlink

/// Programs that set one value at once, a broker with one order of messages, and a device; each takes what it has yet to
/// see in a step of its own.
struct DesiredEditScene {
    /// A program that sets or deletes the value.
    struct Setter {
        enum State {
            case waiting, reading, pausing
            /// The publication is on its way to the broker.
            case publishing([UInt8])
            case ended(DesiredEdit.Step)
        }

        var edit: DesiredEdit
        let number: Int
        var state = State.waiting
        /// What it has seen of the order.
        var seen = 0
        /// The part of the order that it must have seen before it continues.
        var barrier = 0
        var publications = 0

        init(number: Int, isDeletion: Bool) {
            self.number = number
            edit = DesiredEdit(id: "s\(number)", value: isDeletion ? nil : ["set": .integer(Int64(number))])
        }

        var end: DesiredEdit.Step? { if case .ended(let step) = state { step } else { nil } }
    }

    static let name = "org.example.mode"
    let device: DeviceID
    private(set) var order: [[UInt8]] = []
    var setters: [Setter] = []
    /// The value whose set was the last one in the order; `nil` for a deletion.
    private(set) var last: JSONObject?
    private(set) var states: DesiredStates
    private var seen = 0
    private(set) var isConnected = true
    private(set) var isRetrying = false
    /// The name on the bus of the device, with the rule of the bus for counted values, and unanswered calls.
    private(set) var bus = FleetPosition(instance: "bus", generation: 100)
    private(set) var value: JSONObject?
    private var calls: [(value: JSONObject?, target: FleetPosition?)] = []

    init() throws {
        device = try DeviceID("kiosk-7")
        states = DesiredStates(device: device, groups: [], allowed: ["org.example.*"])
        carryOut(states.endCollection(isComplete: true))
    }

    /// The order, for the description of a failure.
    var text: String { order.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") }

    var kept: [UInt8] { order.last ?? [] }

    mutating func addSetter(isDeletion: Bool = false) {
        setters.append(Setter(number: setters.count, isDeletion: isDeletion))
    }

    // MARK: - Steps of a setter

    /// Lets a setter do the next thing, of which most are to see another message; returns whether there was one.
    mutating func step(_ index: Int, _ random: inout SplitMix64) -> Bool {
        switch setters[index].state {
        case .waiting:
            // What the broker keeps, and what follows.
            setters[index].seen = order.count
            setters[index].barrier = order.count
            if !kept.isEmpty { setters[index].edit.take(kept) }
            setters[index].state = .reading
        case .publishing(let payload):
            order.append(payload)
            if setters[index].publications == 1 { last = (try? DesiredMessage(payload))?.value }
            setters[index].barrier = order.count
            setters[index].state = .reading
        case .reading:
            if see(index) { return true }
            // The broker sends what it keeps once more.
            if setters[index].publications > 0, !kept.isEmpty { setters[index].edit.take(kept) }
            proceed(index, &random)
        case .pausing:
            if Bool.random(using: &random), see(index) { return true }
            proceed(index, &random)
        case .ended: return false
        }
        return true
    }

    private mutating func see(_ index: Int) -> Bool {
        guard setters[index].seen < order.count else { return false }
        setters[index].edit.take(order[setters[index].seen])
        setters[index].seen += 1
        return true
    }

    private mutating func proceed(_ index: Int, _ random: inout SplitMix64) {
        let step = setters[index].edit.next(at: 1, fraction: Double.random(in: 0...1, using: &random))
        switch step {
        case .publish(let payload):
            setters[index].publications += 1
            setters[index].state = .publishing(payload)
        case .pause: setters[index].state = .pausing
        case .unreadable, .done: setters[index].state = .ended(step)
        }
    }

    /// Kills a setter; what it has published may still arrive.
    mutating func kill(_ index: Int, _ random: inout SplitMix64) {
        if case .publishing(let payload) = setters[index].state, Bool.random(using: &random) { order.append(payload) }
        setters[index].state = .ended(.unreadable)
    }

    // MARK: - Steps of the device

    mutating func stepDevice() -> Bool {
        guard isConnected, seen < order.count else { return false }
        carryOut(states.take(.desired(device, Self.name), order[seen]))
        seen += 1
        return true
    }

    mutating func setConnected(_ isConnected: Bool) {
        guard isConnected != self.isConnected else { return }
        self.isConnected = isConnected
        guard isConnected else { return }
        states.begin()
        if !kept.isEmpty { carryOut(states.take(.desired(device, Self.name), kept)) }
        seen = order.count
        carryOut(states.endCollection(isComplete: true))
    }

    mutating func answerBus() -> Bool {
        guard !calls.isEmpty else { return false }
        let call = calls.removeFirst()
        if let target = call.target, target.instance == bus.instance, target.generation > bus.generation {
            bus.generation = target.generation
        } else if call.value != value {
            bus.generation += 1
        }
        value = call.value
        carryOut(states.answered(Self.name, at: bus))
        return true
    }

    mutating func retry() {
        guard isRetrying else { return }
        isRetrying = false
        carryOut(states.retry())
    }

    private mutating func carryOut(_ effects: [DesiredStates.Effect]) {
        for effect in effects {
            switch effect {
            case .publish(_, let value, let target): calls.append((value, target))
            case .withdraw: calls.append((nil, nil))
            case .retry: isRetrying = true
            case .save, .ignored: break
            }
        }
    }

    /// Lets everything end that can, in a random order; the pause of the device is longer than those of setters.
    mutating func settle(_ random: inout SplitMix64) {
        setConnected(true)
        var isBusy = true
        while isBusy {
            isBusy = false
            for index in setters.indices.shuffled(using: &random) where step(index, &random) { isBusy = true }
            while stepDevice() || answerBus() { isBusy = true }
        }
        retry()
        while stepDevice() || answerBus() {}
    }
}
