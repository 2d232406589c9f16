// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleService
import ReveilleSystem
import Varlink

/// The work of a bus and its clients in the ten seconds after the machine has slept for eight hours.
///
/// Half of the clients are awake, and half are in the background until a time that passes during the sleep. All subscribe
/// to the same aspects: a locale and a battery that change during the sleep, the sleep itself, and names that the schedule
/// publishes each minute.
package final class Resume {
    package static let clientCount = 100
    package static let aspectCount = 50
    package static let nameCount = aspectCount - builtIn.count
    private static let builtIn = ["locale", "battery", "sleep"]
    private static let length: Duration = .seconds(8 * 3_600)
    private static let span: Duration = .seconds(10)
    /// The clients belong to several users, since each can have only so many connections.
    private static let userCount = 4

    private let loop = SimulatedLoop()
    private let reality = Reality()
    private let bus: SimulatedBus
    private var awake: [SimulatedPeer] = []
    private var sleepers: [SimulatedPeer] = []

    /// The moments at which the bus did something.
    package private(set) var wakeUps = 0
    /// The readings of each source that the bus has asked for.
    package private(set) var readings: [BuiltInAspect: Int] = [:]
    /// The messages to each client.
    package private(set) var messages: (awake: [Int], sleepers: [Int]) = ([], [])
    /// The events of published names for each client.
    package private(set) var firings: (awake: [Int], sleepers: [Int]) = ([], [])

    package init() throws(Broken) {
        bus = try SimulatedBus(
            reality: reality, loop: loop, owner: 0, state: nil, random: SplitMix64(seed: 1))
        let owner = connect(1, of: 0)
        for number in 0..<Self.nameCount {
            let entry: JSONObject = [
                "id": .string("\(number)"), "aspect": .string("org.example.n\(number)"), "every": 60_000,
            ]
            try call("org.reveille.Schedule.Add", ["entry": .object(entry)], of: owner)
        }
        for number in 0..<Self.clientCount {
            let client = connect(10 + Int32(number), of: 1_000 + UInt32(number % Self.userCount))
            let start = try call(
                "org.reveille.Bus.Subscribe",
                ["aspects": .array((Self.builtIn + ["org.example.*"]).map { .string($0) }), "initial": true],
                of: client, mode: .more)
            guard number.isMultiple(of: 2) else {
                awake.append(client)
                continue
            }
            sleepers.append(client)
            try call(
                "org.reveille.Bus.SetState",
                ["subscription": start["subscription"] ?? .null, "state": "background", "wakeAfter": 3_600_000],
                of: owner)
        }
        try pass(.seconds(5))
        _ = try read()
        let before = Dictionary(uniqueKeysWithValues: bus.watchers.map { ($0.aspect, $0.readings) })
        reality.change(.locale)
        reality.change(.battery)
        bus.machine.doze(for: Self.length)
        loop.wallClock += 0
        bus.clockChanged()
        try pass(Self.span)
        for watcher in bus.watchers { readings[watcher.aspect] = watcher.readings - (before[watcher.aspect] ?? 0) }
    }

    private func connect(_ pid: Int32, of user: UInt32) -> SimulatedPeer {
        SimulatedPeer(bus.connect(UnixStream.Peer(pid: pid, uid: user), room: 1 << 20))
    }

    @discardableResult
    private func call(
        _ method: String, _ parameters: JSONObject, of peer: SimulatedPeer, mode: Call.Mode = .plain
    ) throws(Broken) -> JSONObject {
        peer.send(Call(method: method, parameters: parameters, mode: mode).encoded())
        for _ in 0..<1_000 {
            try bus.rest()
            if let answer = try peer.read(.max).first { return answer.reply.parameters }
            loop.advance(.milliseconds(1))
        }
        throw Broken("\(method) was not answered")
    }

    /// Lets time pass; the clients read at once.
    private func pass(_ duration: Duration) throws(Broken) {
        (wakeUps, messages) = (0, (awake.map { _ in 0 }, sleepers.map { _ in 0 }))
        firings = messages
        let end = loop.bootClock + EventLoop.microseconds(duration)
        while true {
            var isBusy = false
            repeat {
                while bus.turn() { isBusy = true }
            } while try read()
            if isBusy { wakeUps += 1 }
            guard let next = loop.nextDeadline, next <= end else { break }
            loop.advance(.microseconds(Int64(next - loop.bootClock)))
        }
        loop.advance(.microseconds(Int64(end - loop.bootClock)))
    }

    /// Returns whether there was anything to read.
    private func read() throws(Broken) -> Bool {
        let (first, second) = (try awake.map(count), try sleepers.map(count))
        for index in first.indices {
            messages.awake[index] += first[index].messages
            firings.awake[index] += first[index].firings
        }
        for index in second.indices {
            messages.sleepers[index] += second[index].messages
            firings.sleepers[index] += second[index].firings
        }
        return (first + second).contains { $0.isAnything }
    }

    private func count(_ client: SimulatedPeer) throws(Broken) -> (messages: Int, firings: Int, isAnything: Bool) {
        let replies = try client.read(.max).map { $0.reply.parameters["events"]?.arrayValue ?? [] }
        let aspects = replies.map { $0.map { $0.objectValue?["aspect"]?.stringValue ?? "" } }
        return (
            replies.count, aspects.joined().count { $0.contains(".") }, !replies.isEmpty
        )
    }
}
