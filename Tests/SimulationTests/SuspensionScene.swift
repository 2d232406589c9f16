// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleService
import ReveilleSimulation
import ReveilleSystem
import ReveilleWire
import Testing
import Varlink

/// A program with a subscription, and a shell that suspends it.
final class SuspensionScene {
    let scene: BusScene
    let shell: ScenePeer

    init(state: StateFile? = nil) throws {
        scene = try BusScene(state: state)
        shell = scene.connect(uid: 1_000, pid: 5)
    }

    var programs: SimulatedPrograms { scene.programs }

    /// Starts a program that subscribes and has read the first reply; it may declare that it ends in the background.
    func start(
        _ pid: Int32 = 20, cgroup: String? = "/app", aspects: [String] = ["battery", "lifecycle"], ends: Bool = false,
        state: String = "foreground"
    ) throws -> SceneProgram {
        let process = programs.start(pid, cgroup: cgroup)
        return SceneProgram(process, try subscribe(pid, aspects: aspects, ends: ends, state: state))
    }

    func subscribe(
        _ pid: Int32, aspects: [String] = ["battery", "lifecycle"], ends: Bool = false, state: String = "foreground",
        uid: UInt32 = 1_000
    ) throws -> SceneSubscription {
        let peer = scene.connect(uid: uid, pid: pid)
        var parameters: JSONObject = ["aspects": .array(aspects.map { .string($0) }), "state": .string(state)]
        if ends { parameters["policies"] = [["aspect": "lifecycle", "background": "end"]] }
        let reply = try peer.call("Subscribe", parameters, more: true)
        return SceneSubscription(peer: peer, id: try #require(reply.parameters["subscription"]?.stringValue))
    }

    /// Begins a task of a subscription, and returns its holder and the first reply.
    func begin(
        _ name: String = "upload", of subscription: SceneSubscription, uid: UInt32 = 1_000, pid: Int32
    ) throws -> (holder: ScenePeer, reply: Reply) {
        let holder = scene.connect(uid: uid, pid: pid)
        let parameters: JSONObject = ["subscription": .string(subscription.id), "name": .string(name)]
        return (holder, try holder.call("BeginTask", parameters, more: true))
    }

    func ask(_ state: String, of subscription: SceneSubscription, by peer: ScenePeer? = nil, wakeAfter: Int64? = nil) {
        var parameters: JSONObject = ["subscription": .string(subscription.id), "state": .string(state)]
        if let wakeAfter { parameters["wakeAfter"] = .integer(wakeAfter) }
        (peer ?? shell).send("SetState", parameters)
    }

    /// Asks for a state, and returns the name of the error, or an empty text.
    func set(_ state: String, of subscription: SceneSubscription, by peer: ScenePeer? = nil) throws -> String {
        let reply = try (peer ?? shell).call(
            "SetState", ["subscription": .string(subscription.id), "state": .string(state)])
        return reply.error ?? ""
    }

    /// Suspends a program that reads, and passes the time that it takes.
    func suspend(_ program: SceneProgram) throws {
        ask("suspended", of: program.first)
        for _ in 0..<4 { _ = try program.first.lifecycles() }
        #expect(try shell.next()?.error == nil)
        #expect(programs.isFrozen(program.process))
    }

    /// Returns a subscription as ListSubscriptions shows it.
    func status(_ subscription: SceneSubscription) throws -> SubscriptionInfo? {
        let reply = try scene.connect(uid: 0, pid: 5).call("ListSubscriptions")
        return try [SubscriptionInfo](reply.parameters, noting: UnknownWords()).first { $0.id == subscription.id }
    }
}

final class SceneProgram {
    let process: SimulatedPrograms.Process
    let first: SceneSubscription

    init(_ process: SimulatedPrograms.Process, _ first: SceneSubscription) {
        self.process = process
        self.first = first
    }
}

struct SceneSubscription {
    let peer: ScenePeer
    let id: String

    func events() throws -> [Event] { try peer.events() }

    /// Reads one reply, and returns the states of the lifecycle in it.
    func lifecycles() throws -> [Lifecycle] { try events().compactMap(\.lifecycle) }
}
