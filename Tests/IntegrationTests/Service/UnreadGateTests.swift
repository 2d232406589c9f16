// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// At most one unread reply is in the kernel, whatever stops the reader.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct UnreadGateTests {
    private static let changes = 10_000

    /// Posts many changes as fast as the bus accepts them, and waits until all are posted.
    private func flood(_ client: RawClient, _ count: Int) throws {
        var batch: [UInt8] = []
        for index in 0..<count {
            let level = Double(index % 100) / 100
            batch += Array(#"{"method":"org.reveille.Bus.Post","oneway":true,"parameters":"#.utf8)
            batch += Array(RawClient.battery(level).utf8) + [UInt8(ascii: "}"), 0]
            if batch.count > 60_000 {
                try client.send(bytes: batch)
                batch.removeAll()
            }
        }
        try client.send(bytes: batch)
        // The reply follows the execution of all earlier calls.
        _ = try client.call("GetState", #"{"aspects":["battery"]}"#)
    }

    @Test("B55: a stopped process reads at most two replies") func stoppedProcessReadsAtMostTwoReplies() throws {
        let bus = try BusProcess()
        let poster = try bus.client()
        let reader = try StreamProcess(bus, #"{"aspects":["battery"]}"#)
        reader.process.signal(SIGSTOP)
        try wait(for: "the stop") { try Self.state(of: reader.process.pid) == "T" }
        try flood(poster, Self.changes)
        reader.process.signal(SIGCONT)
        try wait(for: "every change to be delivered") { try reader.changes == Self.changes }
        #expect(try reader.delivered.count <= 2)
    }

    @Test("B56: a frame that does not fit into the socket is completed later") func longFrameIsCompleted() throws {
        let bus = try BusProcess(configuration: "{ bus: { maxFrame: 16000000 } }")
        let poster = try bus.client()
        let subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
        let keys = (0..<15_000).map { "\"a rather long name of a settings key, number \($0)\"" }.joined(separator: ",")
        let domain = #"{"domain":"app","path":"/app.json","keys":[\#(keys)],"opaque":false}"#
        #expect(try poster.call("Post", #"{"defaults":{"domains":[\#(domain)]}}"#).error == nil)
        let events = try subscriber.next(seconds: 30)
        let listed = events.first?["defaults"]?.objectValue?["domains"]?.arrayValue?.first?.objectValue
        #expect(listed?["keys"]?.arrayValue?.count == 15_000)
        try poster.call("Post", #"{"defaults":{"domains":[]}}"#)
        #expect(try subscriber.next(seconds: 30).map { $0.integer("changes") } == [1])
    }

    private static func state(of pid: Int32) throws -> String {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat")
        return stat.split(separator: ")").last?.split(separator: " ").first.map(String.init) ?? ""
    }
}
