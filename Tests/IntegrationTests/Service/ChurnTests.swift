// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Peers that connect and disconnect at every point of the protocol.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ChurnTests {
    private static let connections = 10_000
    private static let subscribe = #"{"method":"org.reveille.Bus.Subscribe","more":true}"#
    private static let get = #"{"method":"org.reveille.Bus.GetState","parameters":{"aspects":["locale"]}}"#

    /// Connects as one of ten kinds of peers, and disconnects.
    private func live(_ kind: Int, _ bus: BusProcess) throws {
        let client = try bus.client()
        switch kind {
        case 0: break
        case 1: try client.send(bytes: Array(#"{"method":"org.reveille.Bus.Sub"#.utf8))
        case 2:
            try client.send(Self.get)
            _ = try client.receive()
        case 3: try client.send(Self.subscribe)
        case 4:
            try client.send(Self.subscribe)
            _ = try client.receive()
        case 5: for _ in 0..<10 { try client.send(Self.get) }
        case 6:
            try client.send(Self.subscribe)
            _ = try client.receive()
            client.finishSending()
        case 7: try client.send("}{")
        case 8:
            try client.send(#"{"method":"org.reveille.Bus.Subscribe","more":true,"parameters":{"state":"background"}}"#)
            let id = try client.receive().parameters["subscription"]?.stringValue ?? ""
            let parameters = #"{"subscription":"\#(id)","state":"background","wakeAfter":3600000}"#
            try bus.client().call("SetState", parameters)
        default: try client.send(bytes: [0, 0, 0])
        }
    }

    @Test("B57: ten thousand peers that disconnect at any point leave nothing behind")
    func peersLeaveNothingBehind() throws {
        let bus = try BusProcess()
        let control = try bus.client()
        let descriptors = { try DirectoryListing.files(in: "/proc/\(bus.process.pid)/fd").count }
        _ = try control.subscriptions()
        let before = try descriptors()
        var memory = 0
        for index in 0..<Self.connections {
            try live(index % 10, bus)
            if index % 10 == 0 { try control.post(level: Double(index % 1_000) / 1_000) }
            // Memory that the first thousands need is reused by the others, and the battery's log is full by then.
            if index == Self.connections * 3 / 10 { memory = bus.residentMemory }
        }
        try wait(for: "all descriptors to be closed") {
            try control.subscriptions().isEmpty && descriptors() <= before
        }
        #expect(try descriptors() == before)
        let growth = bus.residentMemory - memory
        #expect(growth < 1_024, "grew by \(growth) kB")
    }

    @Test("a peer that sends no complete call is disconnected, but not one that is idle after a call")
    func silentPeersAreDisconnected() throws {
        let bus = try BusProcess()
        let talker = try bus.client()
        try talker.call("GetState", #"{"aspects":["locale"]}"#)
        let mute = try bus.client()
        let slow = try bus.client()
        let slower = try bus.client()
        try slower.call("GetState", #"{"aspects":["locale"]}"#)
        for client in [slow, slower] { try client.send(bytes: Array(#"{"method":"#.utf8)) }
        let subscriber = try bus.subscribe()
        for client in [mute, slow, slower] { #expect(try client.receiveText(seconds: 30) == nil) }
        #expect(bus.log.contains("it sent no complete call within 8.0 seconds"))
        #expect(talker.isSilent && subscriber.client.isSilent)
        try talker.call("GetState", #"{"aspects":["locale"]}"#)
    }

    @Test("a peer that never reads uses no memory and delays no one") func peerThatNeverReads() throws {
        let bus = try BusProcess()
        let control = try bus.client()
        try control.call("GetState")
        let before = bus.residentMemory
        let deaf = try (0..<10).map { _ in try bus.client() }
        let call: [UInt8] = Self.get.utf8 + [0]
        let calls: [UInt8] = Array(repeating: call, count: 500).flatMap(\.self)
        for client in deaf {
            _ = fcntl(client.descriptor, F_SETFL, O_NONBLOCK)
            // Send until the bus stops reading and the socket is full.
            let deadline = Deadline(seconds: 20)
            var (isFull, sent) = (false, 0)
            while !isFull, !deadline.hasPassed {
                let count = calls[sent...].withUnsafeBytes {
                    send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                isFull = count < 0 && errno == EAGAIN
                // Not a call's middle again, which would end the connection.
                sent = (sent + max(0, count)) % calls.count
                try control.call("GetState", #"{"aspects":["locale"]}"#)
            }
            #expect(isFull)
        }
        #expect(bus.residentMemory - before < 4_096)
    }

    @Test("without free file descriptors, connections wait until one is closed") func descriptorsRunOut() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/bus"
        let arguments = ["serve", "--address", "unix:" + path, "--root", directory.path]
        let service = try RunningProgram(
            ["-c", #"ulimit -n 48; exec "$0" "$@""#, BusProcess.program] + arguments, program: "sh", in: directory,
            environment: ["HOME": "/"])
        try wait(for: "a bus") { (try? RawClient(path)) != nil }
        var clients = try (0..<60).map { _ in try RawClient(path) }
        for client in clients { try client.send(Self.get) }
        _ = try clients[0].receive()
        try wait(for: "a message") { service.errors.contains("connections are waiting") }
        // The first connections close, so the last ones are accepted.
        let last = clients[59]
        clients.removeFirst(58)
        #expect(try last.receive().error == nil)
        let lines = service.errors.split(separator: "\n").filter { $0.contains("connections are waiting") }
        #expect(lines.count == 1 && lines[0].contains("EMFILE"), "\(lines)")
        #expect(service.stop() == 0)
    }

    @Test("file descriptors are reserved for devices: the battery is read despite many connections")
    func descriptorsAreReservedForDevices() throws {
        let phone = try SyntheticPhone()
        let bus = try BusProcess(
            configuration: "{ battery: { levelInterval: 0 } }", phone: phone,
            launcher: ["sh", "-c", #"ulimit -n 128; exec "$0" "$@""#])
        let control = try bus.client()
        try control.call("GetState")
        // Each connection needs descriptors for its socket and its process, and the first one for the cgroup.
        let others = try (0..<120).map { _ in try bus.client() }
        for client in others { try client.send(Self.subscribe) }
        _ = try others[0].receive()
        try phone.battery.setLevel(0.33)
        try control.call("Refresh")
        #expect(try control.state(of: "battery").level == 0.33)
        #expect(bus.stop() == 0)
    }

    @Test("the id of an ended subscription is not reused") func endedIdIsNotReused() throws {
        let bus = try BusProcess()
        let control = try bus.client()
        var subscriber: Subscriber? = try bus.subscribe()
        let id = subscriber?.id ?? ""
        withExtendedLifetime(subscriber) { subscriber = nil }
        try wait(for: "the end of the subscription") {
            let reply = try control.call("SetState", #"{"subscription":"\#(id)","state":"background"}"#)
            return reply.error == "org.reveille.Bus.NoSuchSubscription"
        }
        let others = try (0..<20).map { _ in try bus.subscribe().id }
        #expect(Set(others + [id]).count == 21)
    }
}
