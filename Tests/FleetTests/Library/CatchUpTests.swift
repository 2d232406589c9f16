// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ReveilleFleet

@Suite("How a reader finds that everything has arrived")
struct CatchUpTests {
    private let mark = "mark"
    private let follow: [CatchUp.Effect] = [.follow(["status"]), .follow(["state"])]

    /// Its marks are numbers, as a test knows them.
    private func catchUp() -> CatchUp {
        var number = 0
        return CatchUp([["status"], ["state"]], mark: mark) {
            number += 1
            return Array("\(number)".utf8)
        }
    }

    private func subscribed() -> CatchUp {
        var reader = catchUp()
        #expect(reader.start() == [.read([mark, "status"])])
        #expect(reader.subscribed() == [.read(["state"])])
        #expect(reader.subscribed() == [.mark(payload(1)), .awaitQuiet])
        return reader
    }

    private func payload(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

    @Test("statuses are read first, and what was kept has arrived with the mark") func order() {
        var reader = subscribed()
        #expect(reader.markArrived(payload(1)) == follow + [.arrived])
        #expect(reader.markArrived(payload(1)) == [])
        #expect(reader.isQuiet() == [])
    }

    @Test("a mark that was dropped is sent again, and one that comes late means nothing") func lostMark() {
        var reader = subscribed()
        #expect(reader.isQuiet() == [.mark(payload(2)), .awaitQuiet])
        #expect(reader.markArrived(payload(1)) == [])
        #expect(reader.markArrived(payload(2)) == follow + [.arrived])
    }

    @Test("a broker that delivers no marks is reported once, and quiet counts instead") func noMarks() {
        var reader = subscribed()
        for number in 2...CatchUp.markLimit { #expect(reader.isQuiet() == [.mark(payload(number)), .awaitQuiet]) }
        #expect(reader.isQuiet() == [.markIsMissing] + follow + [.arrived])
        #expect(reader.ask(for: ["a"]) == [.read(["a"])])
        #expect(reader.subscribed() == [.awaitQuiet])
        #expect(reader.isQuiet() == [.unsubscribe(["a"]), .arrived])
    }

    @Test("a page is asked for with a mark of its own, and what is followed remains subscribed") func pages() {
        var reader = subscribed()
        _ = reader.markArrived(payload(1))
        #expect(reader.ask(for: ["a", "state"]) == [.read(["a", "state"])])
        #expect(reader.subscribed() == [.mark(payload(2)), .awaitQuiet])
        #expect(reader.markArrived(payload(2)) == [.unsubscribe(["a"]), .arrived])
    }

    @Test("marks of readers cannot be guessed, not even after others were seen")
    func nonce() {
        let marks = (1...100).map { _ in
            var reader = CatchUp([["status"]], mark: mark)
            _ = reader.start()
            return reader.subscribed() + reader.isQuiet()
        }
        let payloads = Set(marks.joined().compactMap { if case .mark(let payload) = $0 { payload } else { nil } })
        #expect(payloads.count == 200)
        #expect(payloads.allSatisfy { $0.count > 8 })
    }
}
