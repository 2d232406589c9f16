// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleService
import ReveilleTesting
import Testing
import Varlink

/// Saved states that are damaged, or that no bus has written.
@Suite(.timeLimit(.minutes(10))) struct DamagedStateTests {
    private static let name = "org.example.volume"

    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/state.json" }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func scene() throws -> BusScene { try BusScene(owner: 0, state: StateFile(path: path)) }

    @Test("a state in which any bit is flipped begins a new instance") func anyFlippedBitIsNoticed() throws {
        let scene = try scene()
        try scene.connect(uid: 0).publish(Self.name, ["level": 1])
        scene.pass(.milliseconds(200))
        let bytes = Array(directory.read("state.json").utf8)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << (index % 7)
            try directory.write(bytes: damaged, to: "damaged")
            let state = try? StateFile(path: directory.path + "/damaged").load()
            // Only the case of a digit of the digest makes no difference.
            #expect(state == nil || index < 16, "byte \(index)")
        }
    }

    @Test("a state of an earlier release, without a digest, begins a new instance") func stateWithoutDigest() throws {
        try directory.write(#"{"version":1,"instance":"i","sequence":5,"aspects":[]}"#, to: "state.json")
        let scene = try scene()
        #expect(scene.log.all.contains { $0.contains("\(path): it is damaged") })
        #expect(try scene.connect().call("GetState").parameters["instance"] != "i")
    }

    @Test("a state that no bus writes begins a new instance and is logged, and names can be published again")
    func impossibleStateIsRefused() throws {
        let text =
            #"{"version":1,"instance":"i","sequence":5,"aspects":[{"aspect":"org.example.volume","generation":1,"#
            + #""sequence":1,"changedAt":1,"state":{},"publisher":-5}]}"#
        let digest = String(Digest(of: Array(text.utf8)).value, radix: 16)
        try directory.write("\(digest) \(text)", to: "state.json")
        let scene = try scene()
        #expect(
            scene.log.all == [
                "starting as a new instance, since the saved state is unusable: \(path): org.example.volume: "
                    + "the saved publisher is not a user"
            ])
        #expect(try scene.connect(uid: 0).publish(Self.name, ["level": 1]).parameters["generation"] == 1)
    }
}
