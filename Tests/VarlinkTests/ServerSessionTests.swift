// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct ServerSessionTests {
    private func session(_ text: String) -> ServerSession {
        var session = ServerSession()
        session.receive(text: text)
        return session
    }

    @Test("V14: pipelined calls are taken one at a time, each with one reply")
    func pipelinedCallsAreTakenInOrder() throws {
        var session = session("{\"method\":\"a.b.A\"}\0{\"method\":\"a.b.B\"}\0")
        #expect(try session.nextCall()?.member == "A")
        #expect(session.isAnswering)
        #expect(try session.nextCall() == nil)
        #expect(session.bufferedCount == 19)
        #expect(session.reply(["x": 1]) == utf8("{\"parameters\":{\"x\":1}}\0"))
        #expect(!session.isAnswering)
        #expect(try session.nextCall()?.member == "B")
        #expect(session.reply() == utf8("{}\0"))
        #expect(try session.nextCall() == nil)
    }

    @Test("V18, V19: a stream delays the calls after it until its last reply")
    func streamDelaysTheCallsAfterIt() throws {
        var session = session("{\"method\":\"a.b.A\",\"more\":true}\0{\"method\":\"a.b.B\"}\0")
        #expect(try session.nextCall()?.mode == .more)
        for _ in 0..<3 {
            #expect(session.reply(["x": 1], continues: true) == utf8("{\"parameters\":{\"x\":1},\"continues\":true}\0"))
            #expect(try session.nextCall() == nil)
        }
        let frame = Reply.encode(parameters: utf8("{\"x\":2}"), continues: false)
        #expect(session.reply(frame: frame) == utf8("{\"parameters\":{\"x\":2}}\0"))
        #expect(try session.nextCall()?.member == "B")
    }

    @Test("V16: an error ends a stream")
    func errorEndsAStream() throws {
        var session = session("{\"method\":\"a.b.A\",\"more\":true}\0{\"method\":\"a.b.B\"}\0")
        #expect(try session.nextCall() != nil)
        #expect(session.reply(continues: true) == utf8("{\"continues\":true}\0"))
        #expect(session.fail(CallError(name: "a.b.E")) == utf8("{\"error\":\"a.b.E\"}\0"))
        #expect(try session.nextCall()?.member == "B")
    }

    @Test("V20: one plain reply ends a call with more")
    func plainReplyEndsACallWithMore() throws {
        var session = session("{\"method\":\"a.b.A\",\"more\":true}\0{\"method\":\"a.b.B\"}\0")
        #expect(try session.nextCall() != nil)
        #expect(session.reply() == utf8("{}\0"))
        #expect(try session.nextCall()?.member == "B")
    }

    @Test("V22: a oneway call never gets a reply")
    func onewayCallsGetNoBytes() throws {
        let text = "{\"method\":\"a.b.A\",\"oneway\":true}\0"
        var session = session(text + text + text)
        #expect(try session.nextCall()?.mode == .oneway)
        #expect(session.reply(["x": 1]).isEmpty)
        #expect(try session.nextCall() != nil)
        #expect(session.fail(.methodNotFound("a.b.A")).isEmpty)
        #expect(try session.nextCall() != nil)
        #expect(session.reply(frame: utf8("{\"parameters\":{}}\0")).isEmpty)
        #expect(!session.isAnswering)
    }

    @Test("V24: bytes after an upgrade call are not consumed, and an error keeps the Varlink connection")
    func bytesAfterAnUpgradeCallRemain() throws {
        var session = session("{\"method\":\"a.b.A\",\"upgrade\":true}\0{\"method\":\"a.b.B\"}\0")
        #expect(try session.nextCall()?.mode == .upgrade)
        #expect(try session.nextCall() == nil)
        #expect(session.bufferedCount == 19)
        #expect(session.fail(.methodNotImplemented("a.b.A")).last == 0)
        #expect(try session.nextCall()?.member == "B")
    }

    @Test(
        "V6 to V12: an invalid call ends the session",
        arguments: [
            ("{}\0", VarlinkError.missingMethod), ("[]\0", .notAnObject),
            ("\0", .json(JSONError(offset: 0, reason: .unexpectedEnd))),
            ("{\"method\":\"a.b.A\",\"x\":1}\0", .unknownMember("x")),
        ])
    func brokenSessionStaysBroken(text: String, error: VarlinkError) {
        var session = session(text + "{\"method\":\"a.b.A\"}\0")
        #expect(throws: error) { try session.nextCall() }
        #expect(throws: error) { try session.nextCall() }
        #expect(!session.isAnswering)
    }

    @Test("V34: an oversized call ends the session after those before it have been answered")
    func oversizedCallEndsTheSession() throws {
        var session = ServerSession(maximumFrame: 20)
        session.receive(text: "{\"method\":\"a.b.A\"}\0{\"method\":\"a.b.LongName\"}\0")
        #expect(try session.nextCall() != nil)
        #expect(session.reply() == utf8("{}\0"))
        #expect(throws: VarlinkError.tooLong(maximum: 20)) { try session.nextCall() }
    }

    @Test("V17: continues is never sent for a call without more")
    func continuingAPlainCallTraps() async {
        await #expect(processExitsWith: .failure) {
            var session = ServerSession()
            session.receive(text: "{\"method\":\"a.b.A\"}\0")
            _ = try session.nextCall()
            _ = session.reply(continues: true)
        }
    }

    @Test("V14: a call has one final reply")
    func replyWithoutACallTraps() async {
        await #expect(processExitsWith: .failure) {
            var session = ServerSession()
            _ = session.reply()
        }
    }
}
