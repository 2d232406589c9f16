// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct SessionPairTests {
    /// Answers all complete calls: `Count` streams up to `to`, and `Echo` returns its parameters.
    private func serve(_ server: inout ServerSession) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let call = try server.nextCall() {
            switch call.member {
            case "Count":
                let last = call.parameters["to"]?.integerValue ?? 1
                for number in 1..<last {
                    bytes += server.reply(["number": .integer(number)], continues: true)
                }
                bytes += server.reply(["number": .integer(last)])
            case "Echo": bytes += server.reply(call.parameters)
            default: bytes += server.fail(.methodNotFound(call.method))
            }
        }
        return bytes
    }

    @Test("V14, V18, V23: each call gets its own replies for any split of a stream", arguments: [1, 2, 3, 7, 64, 4096])
    func eachCallGetsItsOwnReplies(chunk: Int) throws {
        var client = ClientSession()
        var server = ServerSession()
        let calls = [
            Call(method: "a.b.Echo", parameters: ["x": "a\u{0}/é😀"]),
            Call(method: "a.b.Count", parameters: ["to": 3], mode: .more),
            Call(method: "a.b.Echo", parameters: ["x": 1], mode: .oneway),
            Call(method: "a.b.Nothing", mode: .oneway),
            Call(method: "a.b.Nothing"),
            Call(method: "a.b.Echo"),
        ]
        let sent = calls.flatMap { client.call($0) }
        var answered: [UInt8] = []
        for start in stride(from: 0, to: sent.count, by: chunk) {
            server.receive(Array(sent[start..<min(start + chunk, sent.count)]))
            answered += try serve(&server)
        }
        var replies: [Reply] = []
        for start in stride(from: 0, to: answered.count, by: chunk) {
            client.receive(Array(answered[start..<min(start + chunk, answered.count)]))
            while let reply = try client.nextReply() {
                replies.append(reply)
            }
        }
        #expect(
            replies == [
                Reply(parameters: ["x": "a\u{0}/é😀"]),
                Reply(parameters: ["number": 1], continues: true), Reply(parameters: ["number": 2], continues: true),
                Reply(parameters: ["number": 3]),
                Reply(.methodNotFound("a.b.Nothing")),
                Reply(),
            ])
        #expect(client.pendingCount == 0)
        #expect(server.bufferedCount == 0)
    }
}
