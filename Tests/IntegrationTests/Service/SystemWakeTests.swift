// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// A system bus, and the bus of a user who can be woken by it alone.
private final class WakeScene {
    let system: BusProcess
    let user: BusProcess
    private let program: String

    init(configuration: String) throws {
        system = try BusProcess(configuration: configuration)
        program = try OtherUser.program(in: system.directory)
        chmod(system.directory.path, 0o755)
        // The bus finds the system bus below its root, and belongs to the user with everything that it writes.
        let script = """
            shift; d=${3#unix:}; d=${d%/reveille/*}; mkdir -p "$d/root/run"
            ln -sfn \(system.directory.path)/reveille "$d/root/run/reveille"
            chmod 755 "$d"; chown -R \(OtherUser.id) "$d"
            exec setpriv --reuid \(OtherUser.id) --regid \(OtherUser.id) --clear-groups \(program) "$@"
            """
        user = try BusProcess(launcher: ["sh", "-c", script, "sh"])
    }

    /// The user's entries on the system bus, as JSON.
    func handedOver() throws -> [JSONObject] {
        let run = try OtherUser.run(
            [program, "schedule", "list", "--json"], in: system.directory,
            environment: ["REVEILLE_ADDRESS": system.address])
        return try run.output.split(separator: "\n").map { line in
            try #require(try JSON.parse(Array(line.utf8)).objectValue?["entry"]?.objectValue)
        }
    }

    func waitForHandover(_ times: [Int64]) throws {
        try wait(for: "the system bus to have \(times): \(user.log)") {
            try handedOver().map { $0["at"]?.integerValue } == times
        }
    }

    private func call(_ method: String, _ parameters: JSONObject) throws -> Reply {
        try user.client().call(method, "\(JSON.object(parameters))")
    }

    func add(_ fields: JSONObject, id: String) throws {
        var entry: JSONObject = fields
        entry["id"] = .string(id)
        entry["aspect"] = "org.example.alarm"
        #expect(try call("org.reveille.Schedule.Add", ["entry": .object(entry)]).error == nil)
    }

    func cancel(_ id: String) throws {
        #expect(try call("org.reveille.Schedule.Cancel", ["id": .string(id)]).error == nil)
    }

    func answer() throws -> JSONObject {
        let reply = try call("org.reveille.Device.Check", ["capabilities": ["wake"]])
        return try #require(reply.parameters.objects("answers").first)
    }
}

@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "only root can switch users"))
struct SystemWakeTests {
    private static let allowed = "{ schedule: { wake: [\(OtherUser.id)] } }"
    /// Times in the year 2100.
    private static let (early, late): (Int64, Int64) = (4_102_444_800_000_000, 4_112_444_800_000_000)

    private func scene(_ configuration: String = allowed) throws -> WakeScene {
        try WakeScene(configuration: configuration)
    }

    @Test("B208: the system bus has the next entry with wake of a user's bus, and no connection without one")
    func nextEntryIsHandedOver() throws {
        let scene = try scene()
        let sockets = try scene.system.descriptors().count { $0.hasPrefix("socket:") }
        try scene.add(["at": .integer(Self.early - 1)], id: "ordinary")
        try scene.add(["at": .integer(Self.late), "wake": true], id: "late")
        try scene.waitForHandover([Self.late])
        let entry = try #require(try scene.handedOver().first)
        #expect(entry["wake"] == true)
        #expect(entry["aspect"]?.stringValue == "org.reveille.wake.u\(OtherUser.id)")
        #expect(entry["id"]?.stringValue == scene.user.address)
        try scene.add(["at": .integer(Self.early), "wake": true], id: "early")
        try scene.waitForHandover([Self.early])
        try scene.cancel("early")
        try scene.waitForHandover([Self.late])
        try scene.cancel("late")
        try scene.waitForHandover([])
        try wait(for: "the connection to close") {
            try scene.system.descriptors().count { $0.hasPrefix("socket:") } == sockets
        }
    }

    @Test("a user whom the system bus does not name learns why, and the entry fires as an ordinary one")
    func refusal() throws {
        let scene = try scene("{}")
        let subscriber = try scene.user.subscribe(#"{"aspects": ["org.example.alarm"]}"#)
        let run = try scene.user.run(["schedule", "add", "tea", "org.example.alarm", "--in", "1s", "--wake"])
        #expect(run.code == 0 && run.output.hasPrefix("tea  next: in "))
        let reason = "the system bus answers: permission denied: schedule.wake does not name uid \(OtherUser.id)"
        #expect(run.errors == "reveille: warning: the machine does not wake for it: \(reason)\n")
        #expect(try scene.answer()["reason"]?.stringValue == reason)
        #expect(try subscriber.next().map(\.aspect) == ["org.example.alarm"])
        #expect(try scene.handedOver().isEmpty)
        #expect(scene.user.log.contains("PermissionDenied"))
    }

    @Test("Check has the answer of the system bus, and does not wait for one that is absent or stopped")
    func check() throws {
        let scene = try scene()
        let answer = try scene.answer()
        // A virtual machine may have no clock that wakes it.
        #expect(
            answer["answer"] == "yes"
                || answer["reason"] == "the system bus answers: the machine has no clock that can wake it")
        scene.system.process.signal(SIGSTOP)
        #expect(try scene.answer()["reason"]?.stringValue?.contains("has not answered") == true)
        scene.system.process.signal(SIGCONT)
        scene.system.kill()
        #expect(try scene.answer()["reason"]?.stringValue?.contains("cannot be reached") == true)
        try scene.system.restart()
        #expect(try scene.answer()["reason"] == answer["reason"])
    }
}
