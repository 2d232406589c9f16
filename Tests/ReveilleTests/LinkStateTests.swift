// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleLink
import ReveilleSystem
import ReveilleWire
import Testing
import Varlink

/// The decisions of a link, without a socket.
@Suite struct LinkStateTests {
    private static let gone = LinkFailure.unreachable(SystemError("connect", on: "/bus", code: 111))
    private static let full = LinkFailure.unreachable(SystemError("connect", on: "/bus", code: 11))
    private static let refresh = Call(Refresh())
    private static let demand = Call(ObserveDemand([.battery]))
    private static let refused = Reply(CallError.permissionDenied)

    private var state = LinkState()
    private var now: Int64 = 0

    @discardableResult
    private mutating func call(_ number: Int, _ call: Call = refresh, isOpening: Bool = false) -> [LinkState.Effect] {
        state.handle(.call(number, call, isOpening: isOpening), at: now)
    }

    @discardableResult
    private mutating func take(_ input: LinkState.Input) -> [LinkState.Effect] { state.handle(input, at: now) }

    /// The pause after a loss, at its longest.
    private mutating func pauseAfterLoss() -> Duration {
        take(.retry(fraction: 1))
        return .microseconds((state.deadline ?? now) - now)
    }

    private mutating func passPause() -> [LinkState.Effect] {
        now = state.deadline ?? now
        return take(.expired)
    }

    @Test("a call connects, calls in between wait, and all are sent in order") mutating func calling() {
        #expect(call(1) == [.connect])
        #expect(state.deadline == nil)
        #expect(take(.connected) == [.send(Self.refresh)])
        #expect(call(2, Self.demand) == [.send(Self.demand)])
        #expect(take(.reply(Reply())) == [.answer(1, .success(Reply()))])
        let more = Reply(continues: true)
        for _ in 0..<2 { #expect(take(.reply(more)) == [.answer(2, .success(more))]) }
        #expect(take(.reply(Reply())) == [.answer(2, .success(Reply()))])
        #expect(state.deadline == nil)
    }

    @Test("a connection that is wanted is made once, and its failure fails no call") mutating func opening() {
        #expect(take(.open) == [.connect])
        #expect(take(.failed(Self.gone, fraction: 1)) == [.disconnect, .lost(Self.gone)])
        take(.open)
        take(.connected)
        #expect(take(.open).isEmpty && !state.isClosed)
    }

    @Test("every call fails with its connection, and the owner learns of it last") mutating func loss() {
        call(1)
        take(.connected)
        call(2)
        let lost = take(.lost(.ended))
        #expect(lost == [.disconnect, .answer(1, .failure(.ended)), .answer(2, .failure(.ended)), .lost(.ended)])
        #expect(state.deadline == nil && state.isClosed)
        #expect(call(3) == [.connect])
        #expect(
            take(.failed(Self.gone, fraction: 1)) == [
                .disconnect, .answer(3, .failure(Self.gone)), .lost(Self.gone),
            ])
    }

    @Test("a link that is closed tells its callers, not its owner, and connects for the next call")
    mutating func closing() {
        call(1)
        take(.connected)
        _ = pauseAfterLoss()
        #expect(take(.close) == [.disconnect, .answer(1, .failure(.ended))])
        #expect(state.deadline == nil)
        #expect(call(2) == [.connect])
    }

    @Test("a listener without room is tried until there is some, or for five seconds") mutating func fullQueue() {
        call(1)
        var attempts = 0
        while take(.failed(Self.full, fraction: 1)).isEmpty {
            #expect(call(2 + attempts).isEmpty)
            #expect(passPause() == [.connect])
            attempts += 1
        }
        #expect(now == 5_000_000 && attempts == 9)
        call(1)
        #expect(take(.failed(Self.full, fraction: 1)).isEmpty)
        #expect(take(.connected) == [.send(Self.refresh)])
    }

    @Test("a call that is not answered in time ends the connection; a stream may be silent after its first reply")
    mutating func silence() {
        call(1)
        take(.connected)
        now = 4_000_000
        call(2)
        take(.reply(Reply()))
        now = 13_999_999
        #expect(take(.expired).isEmpty)
        now += 1
        let failure = LinkFailure.unanswered("Refresh", within: .seconds(10))
        #expect(take(.expired) == [.disconnect, .answer(2, .failure(failure)), .lost(failure)])
        call(3, Self.demand)
        take(.connected)
        take(.reply(Reply(continues: true)))
        #expect(state.deadline == nil)
    }

    @Test("the pauses grow while no attempt succeeds, and one that has begun is not begun again")
    mutating func pauses() {
        for milliseconds in [20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000] {
            call(1)
            take(.failed(Self.gone, fraction: 1))
            #expect(pauseAfterLoss() == .milliseconds(milliseconds))
            // A caller does not wait for the end of the pause.
            #expect(call(2) == [.connect])
            take(.failed(Self.gone, fraction: 1))
            #expect(pauseAfterLoss() == .milliseconds(milliseconds))
            #expect(passPause() == [.tryAgain])
        }
    }

    /// What a connection brings in reply to an opening call and another one, until it ends at a time.
    struct Connection: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var opening: Call = refresh
        var replies: [Reply] = []
        var end: Int64 = 0
        var isGood = false
    }

    static let connections = [
        Connection(testDescription: "one that is only accepted, however long", end: 9_000_000),
        Connection(testDescription: "one that answers the opening call", replies: [Reply()], end: 1_999_999),
        Connection(testDescription: "one that lasts", replies: [Reply()], end: 2_000_000, isGood: true),
        Connection(testDescription: "one that answers another call", replies: [Reply(), Reply()], isGood: true),
        Connection(testDescription: "one that refuses another call", replies: [Reply(), refused]),
        Connection(testDescription: "one that begins a stream", opening: demand, replies: [Reply(continues: true)]),
        Connection(
            testDescription: "one whose stream brings more", opening: demand,
            replies: [Reply(continues: true), Reply(continues: true)], isGood: true),
    ]

    @Test("after the loss of a good connection, the pauses begin again", arguments: connections)
    mutating func goodConnections(connection: Connection) {
        call(1)
        take(.failed(Self.gone, fraction: 1))
        _ = pauseAfterLoss()
        _ = passPause()
        call(2, connection.opening, isOpening: true)
        take(.connected)
        call(3)
        for reply in connection.replies { take(.reply(reply)) }
        now += connection.end
        take(.lost(.ended))
        #expect(pauseAfterLoss() == .milliseconds(connection.isGood ? 20 : 40))
    }
}
