// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing
import Varlink

/// The users that may publish, and how much.
@Suite(.timeLimit(.minutes(10))) struct PublishPermissionTests {
    private static let name = "org.example.volume"
    private static let allow = #"{ allow: [{ names: "org.example.*", users: [2000, 2001] }] }"#

    // MARK: - Permissions

    @Test("on a user's bus, the user and root publish the same names, and no other user does")
    func usersBusServesItsUserAndRoot() throws {
        let scene = try BusScene(publish: Self.allow, owner: 1_000)
        let (user, root) = (scene.connect(uid: 1_000), scene.connect(uid: 0))
        #expect(try user.publish(Self.name, ["level": 1]).error == nil)
        #expect(try root.publish(Self.name, ["level": 2]).error == nil)
        #expect(try user.publish(Self.name, ["level": 3]).error == nil)
        #expect(try root.publish(Self.name).error == nil)
        // The permissions are for a system bus.
        for uid in [2_000, 2_001, 3_000] as [UInt32] {
            let peer = scene.connect(uid: uid)
            #expect(try peer.publish(Self.name, ["level": 4]).problem == "PermissionDenied")
            #expect(try peer.publish(Self.name).problem == "PermissionDenied")
        }
        #expect(try user.values(of: Self.name) == [Self.name: nil])
    }

    /// Root, and a user without privileges that serves the system bus.
    private static let owners: [UInt32] = [0, 997]

    @Test(
        "on a system bus, root publishes every name, and other users only the names that the configuration allows",
        arguments: owners)
    func systemBusAllowsConfiguredUsers(owner: UInt32) throws {
        let scene = try BusScene(publish: Self.allow, owner: owner, isSystemWide: true)
        #expect(try scene.connect(uid: 0).publish("org.other.volume", ["level": 1]).error == nil)
        let allowed = scene.connect(uid: 2_000)
        #expect(try allowed.publish(Self.name, ["level": 1]).error == nil)
        #expect(try allowed.publish("org.example.a.b", ["level": 1]).error == nil)
        #expect(try allowed.publish("org.example", ["level": 1]).problem == "PermissionDenied")
        #expect(try allowed.publish("org.examples.volume", ["level": 1]).problem == "PermissionDenied")
        #expect(try scene.connect(uid: 1_000).publish(Self.name, ["level": 1]).problem == "PermissionDenied")
    }

    @Test(
        "on a system bus, the name of another user is refused until that user or root withdraws it",
        arguments: owners)
    func nameOfAnotherUserIsRefused(owner: UInt32) throws {
        let scene = try BusScene(publish: Self.allow, owner: owner, isSystemWide: true)
        let (one, other) = (scene.connect(uid: 2_000), scene.connect(uid: 2_001))
        let root = scene.connect(uid: 0)
        #expect(try one.publish(Self.name, ["level": 1]).error == nil)
        #expect(try scene.connect(uid: 2_000).publish(Self.name, ["level": 2]).error == nil, "another program")
        for peer in [other, root] {
            #expect(try peer.publish(Self.name, ["level": 3]).problem == "PermissionDenied")
            #expect(try peer.publish(Self.name, ["level": 2]).problem == "PermissionDenied", "an equal value")
        }
        #expect(try other.publish(Self.name).problem == "PermissionDenied")
        #expect(try root.publish(Self.name).error == nil)
        #expect(try other.publish(Self.name, ["level": 4]).error == nil)
        #expect(try one.publish(Self.name, ["level": 5]).problem == "PermissionDenied")
        #expect(try other.publish(Self.name).error == nil)
        #expect(try root.publish(Self.name, ["level": 6]).error == nil)
        #expect(try other.publish(Self.name).problem == "PermissionDenied")
        #expect(try one.values(of: Self.name) == [Self.name: #"{"level":6}"#])
    }

    @Test("only root and the owner import a state for many changes, and a repeated import counts none twice")
    func imports() throws {
        let allow = #"{ allow: [{ names: "org.example.*", users: [1001] }] }"#
        let scene = try BusScene(publish: allow, owner: 1_000, isSystemWide: true)
        let (owner, other, root) = (scene.connect(), scene.connect(uid: 1_001), scene.connect(uid: 0))
        let first = try owner.publish(Self.name, ["level": 1]).parameters
        let instance = try owner.call("GetState", ["aspects": ["battery"]]).parameters["instance"] ?? ""
        let generation = (first["generation"]?.integerValue ?? 0) + 100
        let parameters: JSONObject = [
            "aspect": .string(Self.name), "value": ["level": 2], "instance": instance,
            "generation": .integer(generation),
        ]
        #expect(try other.call("Import", parameters).problem == "PermissionDenied")
        for peer in [owner, owner] {
            #expect(try peer.call("Import", parameters).parameters["generation"] == .integer(generation))
        }
        #expect(try root.call("Import", parameters).problem == "PermissionDenied", "another user's name")
        var elsewhere = parameters
        elsewhere["instance"] = "another"
        elsewhere["value"] = ["level": 3]
        #expect(try owner.call("Import", elsewhere).parameters["generation"] == .integer(generation + 1))
    }

    // MARK: - Limits

    @Test("B191: a name beyond the limit of its user is refused until another one is withdrawn")
    func namesAreLimited() throws {
        let scene = try BusScene(publish: "{ names: 3 }", owner: 1_000)
        for (uid, prefix) in [(1_000, "org.user.n"), (0, "org.root.n")] as [(UInt32, String)] {
            let peer = scene.connect(uid: uid)
            for number in 0..<3 { #expect(try peer.publish(prefix + "\(number)", ["a": 1]).error == nil) }
            let refusal = try peer.publish(prefix + "3", ["a": 1])
            #expect(refusal.problem == "QuotaExceeded names")
            #expect(refusal.parameters["limit"] == 3)
            #expect(try peer.publish(prefix + "0", ["a": 2]).error == nil, "a name that the user has")
            #expect(try scene.connect(uid: uid).publish(prefix + "3", ["a": 1]).problem == "QuotaExceeded names")
            #expect(try peer.publish(prefix + "1").error == nil)
            #expect(try peer.publish(prefix + "3", ["a": 1]).error == nil)
            #expect(try peer.publish(prefix + "1", ["a": 1]).problem == "QuotaExceeded names")
        }
        // A name that changes hands counts for its new publisher.
        #expect(try scene.connect(uid: 0).publish("org.user.n0", ["a": 1]).problem == "QuotaExceeded names")
    }

    @Test("the length of a value is measured in its canonical form, and anything longer is refused")
    func valuesAreLimited() throws {
        let scene = try BusScene(publish: "{ valueSize: 20 }")
        let peer = scene.connect(uid: 0)
        #expect(try peer.publish(Self.name, ["a": .string(String(repeating: "x", count: 12))]).error == nil)
        // {"a":1,"b":[1,2]} after white space, escapes and fractions are gone.
        let text =
            #"{ "method": "org.reveille.Bus.Publish", "parameters": { "aspect": "org.example.volume", "value": "#
            + #"{ "b" : [ 1.0 , 2.000000 ] , "\u0061" : 1.0 } } }"#
        peer.stream.send(Array(text.utf8) + [0])
        #expect(try peer.next()?.error == nil)
        let refusal = try peer.publish(Self.name, ["a": .string(String(repeating: "x", count: 13))])
        #expect(refusal.problem == "QuotaExceeded value")
        #expect(refusal.parameters["limit"] == 20)
        #expect(try peer.values(of: Self.name) == [Self.name: #"{"a":1,"b":[1,2]}"#])
    }

    @Test("permissions are checked before the value, and the value before the number of names")
    func checksHaveAnOrder() throws {
        let scene = try BusScene(publish: "{ names: 1, valueSize: 10 }")
        let (owner, stranger) = (scene.connect(uid: 0), scene.connect(uid: 4_242))
        let long: JSON = ["a": "xxxxxxxxxxxx"]
        #expect(try stranger.publish("battery", long).problem == "InvalidParameter aspect")
        #expect(try stranger.publish(Self.name, 5).problem == "InvalidParameter value")
        #expect(try stranger.publish(Self.name, long).problem == "PermissionDenied")
        #expect(try owner.publish(Self.name, ["a": 1]).error == nil)
        #expect(try owner.publish("org.example.other", long).problem == "QuotaExceeded value")
        #expect(try owner.publish("org.example.other", ["a": 1]).problem == "QuotaExceeded names")
    }

    @Test("withdrawing a name that is not published succeeds, at every limit") func withdrawalSucceeds() throws {
        let scene = try BusScene(publish: "{ names: 1, valueSize: 2 }")
        let peer = scene.connect(uid: 0)
        let watcher = scene.connect()
        try watcher.subscribe(to: [Self.name, "org.*"])
        #expect(try peer.publish("org.example.other", [:]).parameters == ["generation": 1, "sequence": 1])
        #expect(try peer.publish(Self.name).error == nil)
        #expect(try peer.publish("org.example.unknown").parameters == ["generation": 1, "sequence": 1])
        #expect(try watcher.events().map(\.aspect) == ["org.example.other"])
        #expect(try watcher.events().isEmpty)
    }
}
