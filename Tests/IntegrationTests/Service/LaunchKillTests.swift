// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10))) struct LaunchKillTests {
    /// A bus starts no program in its first five seconds, so many buses wait for these together.
    private static let buses = 10
    private static let rounds = 4
    /// The time in microseconds after its start from which a bus starts programs.
    private static let returnTime: Int64 = 5_000_000

    /// A bus, and the file in which its programs leave their traces.
    private final class Scene {
        let bus: BusProcess
        private var started: Int64
        var due: Int64 = 0

        /// Notes its start, and the number of firings in its first reply; goes on until a bus answers.
        private static let program = """
            import json, os, select, socket, sys
            def note(*words):
                with open(sys.argv[2], "a") as file: file.write(" ".join(map(str, words)) + "\\n")
            def attempt():
                with socket.socket(socket.AF_UNIX) as bus:
                    bus.connect(sys.argv[1])
                    call = {"aspects": [sys.argv[3]], **json.loads(os.environ["REVEILLE_LAUNCH"])}
                    call = {"method": "org.reveille.Bus.Subscribe", "parameters": call, "more": True}
                    bus.sendall(json.dumps(call).encode() + b"\\0")
                    received = b""
                    while b"\\0" not in received:
                        part = bus.recv(65536)
                        if not part: raise OSError
                        received += part
                    return json.loads(received.split(b"\\0")[0])["parameters"]
            note("started", sys.argv[3])
            while True:
                try:
                    reply = attempt()
                    break
                except OSError:
                    select.select([], [], [], 0.01)
            note("received", sys.argv[3], sum(event["changes"] for event in reply["events"]))
            """

        init() throws {
            bus = try BusProcess()
            started = Clocks.wall()
            try bus.directory.write(Self.program, to: "program.py")
        }

        /// Adds an entry that is due when the bus may start programs.
        func add(_ name: String, notBefore time: Int64) throws {
            try bus.waitUntilSaved()
            due = max(started + LaunchKillTests.returnTime, Clocks.wall() + 20_000, time)
            let program: [JSON] = [
                "python3", .string(bus.directory.path + "/program.py"), .string(bus.socket),
                .string(bus.directory.path + "/traces"), .string(name),
            ]
            let entry: JSONObject = [
                "id": .string(name), "aspect": .string(name), "at": .integer(due), "launch": .array(program),
            ]
            let reply = try bus.client().call(
                "org.reveille.Schedule.Add", "\(JSON.object(["entry": .object(entry)]))")
            guard reply.error == nil else { throw Trouble("Add: \(reply)") }
        }

        func restart() throws {
            try bus.restart()
            started = Clocks.wall()
        }

        var traces: [String] { bus.directory.read("traces").split(separator: "\n").map(String.init).sorted() }
    }

    @Test("B120, B121, B126: despite 40 kills around a start, each firing starts its program once and is received once")
    func launchesSurvive() throws {
        let scenes = try (0..<Self.buses).map { _ in try Scene() }
        let names = (0..<Self.rounds).map { "org.example.round\($0)" }
        for name in names {
            var last: Int64 = 0
            for scene in scenes {
                // The buses are killed one after the other.
                try scene.add(name, notBefore: last + 30_000)
                last = scene.due
            }
            for scene in scenes {
                let end = scene.due + Int64.random(in: -2_000...16_000)
                while Clocks.wall() < end { if end - Clocks.wall() > 20_000 { backOff() } }
                scene.bus.kill()
            }
            for scene in scenes { try scene.restart() }
        }
        let expected = (names.map { "started " + $0 } + names.map { "received \($0) 1" }).sorted()
        for (number, scene) in scenes.enumerated() {
            // If only the intention to start was saved, the start is repeated after a minute and a half.
            try wait(for: "the programs of bus \(number): \(scene.traces)", seconds: 150) {
                scene.traces.count >= expected.count
            }
            #expect(scene.traces == expected, "bus \(number)")
            try wait(for: "the programs of bus \(number) to end") {
                access(scene.bus.directory.path + "/state/schedule", F_OK) != 0
            }
            #expect(scene.bus.stop() == 0)
        }
    }
}
