// SPDX-License-Identifier: Apache-2.0

import ReveilleLocationCore
import Testing

/// A connection to gpsd, as bytes.
@Suite struct SessionTests {
    static let greeting = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n"
    static let fix = #"{"class":"TPV","device":"/dev/a","mode":2,"lat":52.5,"lon":13.5}"# + "\r\n"

    private static func latitudes(_ texts: [String]) throws(GPSDError) -> [Double] {
        var session = Session()
        var latitudes: [Double] = []
        for text in texts { latitudes += try session.receive(Array(text.utf8)).map(\.fix.latitude) }
        return latitudes
    }

    @Test("fixes are the same wherever the stream is cut") func cutsDoNotMatter() throws {
        let stream = Array((Self.greeting + Self.fix + Self.fix).utf8)
        for cut in 0...stream.count {
            var session = Session()
            let fixes = try session.receive(Array(stream[..<cut])) + session.receive(Array(stream[cut...]))
            #expect(fixes.map(\.fix.latitude) == [52.5, 52.5])
            #expect(fixes.map(\.receiver) == ["/dev/a", "/dev/a"])
            #expect(session.hasGreeted && session.ignored == nil)
        }
    }

    @Test("half a line is not a fix") func halfALineIsNotAFix() throws {
        #expect(try Self.latitudes([Self.greeting, String(Self.fix.dropLast())]) == [])
    }

    @Test("a damaged line is ignored and named, and the next fix counts") func damagedLinesAreIgnored() throws {
        for line in ["", "{", #"{"class":"TPV""#, "[]", "{}", #"{"class":1}"#, "\u{1B}[31m", #"{"class":"VERSION"}"#] {
            var session = Session()
            let fixes = try session.receive(Array((Self.greeting + line + "\n" + Self.fix).utf8))
            #expect(fixes.count == 1, "\(line)")
            #expect(session.ignored == line.replacing("\u{1B}", with: "?"))
        }
    }

    @Test("a line without an end is refused, even if it arrives byte by byte") func endlessLineIsRefused() throws {
        #expect(throws: GPSDError.lineTooLong) {
            try Self.latitudes([Self.greeting, String(repeating: "a", count: LineSplitter.limit + 1)])
        }
        var session = Session()
        _ = try session.receive(Array(Self.greeting.utf8))
        for _ in 0..<LineSplitter.limit { _ = try session.receive([0x20]) }
        #expect(throws: GPSDError.lineTooLong) { try session.receive([0x20]) }
    }

    @Test(
        "a peer that is not a gpsd of this protocol is refused",
        arguments: [
            ("SSH-2.0-OpenSSH_9.2\r\n", "is not gpsd: it sent 'SSH-2.0-OpenSSH_9.2?' instead of its version"),
            ("\u{1B}]0;x\u{7}\n", "is not gpsd: it sent '?]0;x?' instead of its version"),
            (SessionTests.fix, ##"instead of its version"##),
            (
                #"{"class":"VERSION","proto_major":2,"proto_minor":9}"# + "\n",
                "uses version 2.9 of the protocol; version 3 or later is required"
            ),
            (
                SessionTests.greeting + #"{"class":"ERROR","message":"Unrecognized request\u0007"}"# + "\n",
                "reported an error: Unrecognized request?"
            ),
        ])
    func otherPeersAreRefused(stream: String, reason: String) {
        let error = #expect(throws: GPSDError.self) { try Self.latitudes([stream]) }
        #expect(error?.description.hasSuffix(reason) == true, "\(String(describing: error))")
    }
}
