// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import Testing
import Varlink

/// A subscription of the process 7 of user 1000, and its tasks.
struct TaskScene {
    let scene: BusScene
    let subscriber: ScenePeer
    /// The identifier of the subscription.
    let id: JSON

    init(lifecycle: String = "{}") throws {
        scene = try BusScene(lifecycle: lifecycle)
        subscriber = scene.connect()
        let reply = try subscriber.call("Subscribe", ["aspects": ["battery"]], more: true)
        id = try #require(reply.parameters["subscription"])
    }

    /// Begins a task, and returns its holder and the first reply.
    func begin(_ name: String = "upload", uid: UInt32 = 1_000, pid: Int32 = 7) throws -> (ScenePeer, Reply) {
        let holder = scene.connect(uid: uid, pid: pid)
        return (holder, try holder.call("BeginTask", ["subscription": id, "name": .string(name)], more: true))
    }

    /// Begins a task whose holder does not read.
    func beginUnread() -> ScenePeer {
        let holder = scene.connect()
        holder.send("BeginTask", ["subscription": id, "name": "upload"], more: true)
        scene.pass(.milliseconds(10))
        return holder
    }

    func setState(_ state: String, pid: Int32 = 7) throws {
        let reply = try scene.connect(pid: pid).call("SetState", ["subscription": id, "state": .string(state)])
        #expect(reply.error == nil)
    }

    /// The subscription as ListSubscriptions returns it.
    func subscription() throws -> JSONObject {
        let list = try scene.connect().call("ListSubscriptions").parameters["subscriptions"]?.arrayValue ?? []
        return try #require(list.compactMap(\.objectValue).first { $0["subscription"] == id })
    }

    func tasks() throws -> [JSONObject] {
        try subscription()["tasks"]?.arrayValue?.compactMap(\.objectValue) ?? []
    }
}

extension Reply {
    /// The milliseconds that are left for a task.
    var remaining: Int64? { parameters["remaining"]?.integerValue }
}
