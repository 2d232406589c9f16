// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite struct FolderSettlingTests {
    private static let timing = FileSettling.Timing(readDelay: .milliseconds(50), deletionGrace: .milliseconds(250))
    private let name = EntryName(escaped: "a")

    private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1_000) }

    @Test("B175: 100 writes in 3 seconds are one scan, 50 ms after the close") func writesAreOneScan() {
        var settling = FolderSettling(timing: Self.timing)
        for write in 0..<100 {
            let now = at(Int64(write) * 30)
            settling.notice(.written, of: name, at: now)
            #expect(settling.nextScan == now + FolderSettling.quiet)
        }
        #expect(settling.isBeingWritten(name))
        settling.notice(.finished, of: name, at: at(3_000))
        #expect(settling.nextScan == at(3_050))
        #expect(!settling.isBeingWritten(name))
    }

    @Test("a file that is not closed is scanned when it was not written for a second") func openFileIsScanned() {
        var settling = FolderSettling(timing: Self.timing)
        settling.notice(.written, of: name, at: at(0))
        #expect(settling.nextScan == at(1_000))
        settling.begin(at: at(999))
        #expect(settling.isBeingWritten(name))
        settling.begin(at: at(1_000))
        #expect(!settling.isBeingWritten(name))
        #expect(settling.nextScan == nil)
    }

    @Test("a folder that changes all the time is scanned every 500 ms") func endlessChangesAreScanned() {
        var settling = FolderSettling(timing: Self.timing)
        for now in stride(from: Int64(0), to: 480, by: 10) { settling.notice(.finished, of: name, at: at(now)) }
        #expect(settling.nextScan == at(500))
    }

    @Test("a result is ignored if something changed during the scan, but not for longer than 500 ms")
    func outdatedResultIsIgnored() {
        var settling = FolderSettling(timing: Self.timing)
        settling.notice(.finished, of: name, at: at(0))
        settling.begin(at: at(50))
        #expect(!settling.isOutdated(at: at(60)))
        settling.notice(.finished, of: name, at: at(55))
        #expect(settling.isOutdated(at: at(60)))
        #expect(settling.nextScan == at(105))
        #expect(!settling.isOutdated(at: at(500)))
    }

    @Test("scanning takes at most a tenth of the time") func slowScansAreFollowedByAPause() {
        var settling = FolderSettling(timing: Self.timing)
        settling.begin(at: at(0))
        let verdict1 = settling.judge(.same, start: at(0), at: at(100), asked: false)
        #expect(verdict1)
        settling.notice(.finished, of: name, at: at(101))
        #expect(settling.nextScan == at(1_000))
    }

    @Test("B179: another folder is taken after the grace period, or at once if it is asked for")
    func replacementIsTakenAfterTheGracePeriod() {
        var settling = FolderSettling(timing: Self.timing)
        let verdict2 = settling.judge(.other, start: at(0), at: at(0), asked: false)
        #expect(!verdict2)
        #expect(settling.nextScan == at(250))
        settling.begin(at: at(250))
        let verdict3 = settling.judge(.other, start: at(250), at: at(250), asked: false)
        #expect(verdict3)
        let verdict4 = settling.judge(.other, start: at(300), at: at(300), asked: true)
        #expect(verdict4)
    }

    @Test("a scan that fails is tried again three times") func failedScanIsTriedAgain() {
        var settling = FolderSettling(timing: Self.timing)
        var delays: [Instant?] = []
        for _ in 0..<4 {
            settling.begin(at: at(0))
            let verdict5 = settling.judge(.failed, start: at(0), at: at(0), asked: false)
            #expect(!verdict5)
            delays.append(settling.nextScan)
        }
        #expect(delays == [at(150), at(1_000), at(5_000), nil])
    }
}
