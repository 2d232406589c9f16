// SPDX-License-Identifier: Apache-2.0

import Testing
import Varlink

@Suite struct ClientSessionTests {

    @Test("V18: a stream lasts until a reply without continues")
    func streamLastsUntilItsLastReply() throws {
        var session = ClientSession()
        _ = session.call(Call(method: "a.b.A", mode: .more))
        _ = session.call(Call(method: "a.b.B"))
        session.receive(text: "{\"continues\":true}\0{\"continues\":true}\0{\"continues\":false}\0{}\0")
        #expect(try session.nextReply()?.continues == true)
        #expect(try session.nextReply()?.continues == true)
        #expect(session.isStreaming)
        #expect(try session.nextReply()?.continues == false)
        #expect(!session.isStreaming)
        #expect(session.pendingCount == 1)
        #expect(try session.nextReply() == Reply())
    }

    @Test("V18: an error ends a stream")
    func errorEndsAStream() throws {
        var session = ClientSession()
        _ = session.call(Call(method: "a.b.A", mode: .more))
        session.receive(text: "{\"continues\":true}\0{\"error\":\"a.b.E\"}\0")
        _ = try session.nextReply()
        _ = try session.nextReply()
        #expect(session.pendingCount == 0)
    }

    @Test("V24: bytes after the reply to an upgrade call are not parsed")
    func bytesAfterAnUpgradeAreNotParsed() throws {
        var session = ClientSession()
        _ = session.call(Call(method: "a.b.A", mode: .upgrade))
        session.receive(text: "{}\0another protocol\0")
        #expect(try session.nextReply() == Reply())
        #expect(session.pendingCount == 0)
    }

    @Test("V17: continues in a reply to a call without more is a violation")
    func continuesWithoutMoreIsRejected() {
        var session = ClientSession()
        _ = session.call(Call(method: "a.b.A"))
        session.receive(text: "{\"continues\":true}\0")
        #expect(throws: VarlinkError.unexpectedContinues) { try session.nextReply() }
    }

    @Test(
        "V14, V16, V34: an invalid reply ends the session",
        arguments: [
            ("{}\0{}\0", VarlinkError.unexpectedReply),
            ("{}\0{\"error\":\"a.b.E\",\"continues\":true}\0", .continuingError),
            ("{}\0[]\0", .notAnObject),
            ("{}\0" + String(repeating: " ", count: 65), .tooLong(maximum: 64)),
        ])
    func brokenSessionStaysBroken(text: String, error: VarlinkError) throws {
        var session = ClientSession(maximumFrame: 64)
        _ = session.call(Call(method: "a.b.A"))
        session.receive(text: text)
        #expect(try session.nextReply() == Reply())
        #expect(throws: error) { try session.nextReply() }
        session.receive(text: "{}\0")
        #expect(throws: error) { try session.nextReply() }
    }
}
