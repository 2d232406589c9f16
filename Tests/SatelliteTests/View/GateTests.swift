// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleFleetCore
import ReveilleViewCore
import Testing

/// What each request receives, as values.
@Suite struct GateTests {
    private typealias Field = PageRequest.Field
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let token = AccessToken(
        random: [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF])
    private static let host = Field("Host", "127.0.0.1:7383")
    private static let cookie = Field("Cookie", "reveille-view-7383=\(secret)")

    private let gate: Gate

    init() {
        gate = Gate(port: 7383, token: Self.token)
    }

    private func decide(
        _ path: String, _ arguments: [PageRequest.Field] = [], method: String = "GET",
        headers: [PageRequest.Field] = [GateTests.host, GateTests.cookie], size: Int = 0
    ) -> Result<Gate.Decision, Refusal> {
        let request = PageRequest(
            method: method, path: path, arguments: arguments, headers: headers, headerSize: size)
        return Result { () throws(Refusal) in try gate.decide(request) }
    }

    private func status(_ result: Result<Gate.Decision, Refusal>) -> Int {
        if case .failure(let refusal) = result { refusal.status } else { 200 }
    }

    @Test("each path of the page has its decision") func paths() {
        #expect(decide("/") == .success(.file(.page)))
        #expect(decide("/view.js") == .success(.file(.script)))
        #expect(decide("/", method: "HEAD") == .success(.file(.page)))
        #expect(decide("/events") == .success(.stream(nil)))
        #expect(decide("/aspects") == .success(.aspects))
        #expect(decide("/subscriptions") == .success(.subscriptions))
        #expect(decide("/battery") == .success(.battery(.day)))
        #expect(decide("/battery", [Field("span", "month")]) == .success(.battery(.month)))
        #expect(decide("/changes", [Field("aspect", "org.example.a")]) == .success(.changes("org.example.a")))
        for path in ["", "/x", "//", "/view.js/", "/..", "/../view.js", "http://127.0.0.1:7383/", "*", "/\0"] {
            #expect(status(decide(path)) == 404, "\(path)")
        }
    }

    @Test(
        "a host that is not one of the page's is refused, whatever else the request has",
        arguments: [
            "evil.example:7383", "127.0.0.1", "127.0.0.1:7384", "127.0.0.1:7383.", "127.0.0.2:7383", "localhost",
            "LOCALHOST:7383", "[::1]", "::1:7383", "0.0.0.0:7383", "", " 127.0.0.1:7383", "127.0.0.1:07383",
            "user@127.0.0.1:7383", "127.0.0.1:7383,localhost:7383",
        ])
    func wrongHosts(host: String) {
        #expect(status(decide("/", headers: [Field("Host", host), Self.cookie])) == 403)
        let token = [Field("token", Self.secret)]
        #expect(status(decide("/", token, headers: [Field("Host", host)])) == 403)
    }

    @Test("the page has three hosts, and each request names one of them once") func hosts() {
        for host in ["127.0.0.1:7383", "localhost:7383", "[::1]:7383"] {
            #expect(status(decide("/", headers: [Field("hOST", host), Self.cookie])) == 200)
        }
        #expect(status(decide("/", headers: [Self.cookie])) == 403)
        #expect(status(decide("/", headers: [Self.host, Self.host, Self.cookie])) == 403)
        let usual = Gate(port: 80, token: AccessToken(random: [UInt8](repeating: 1, count: 16)))
        let request = PageRequest(path: "/", headers: [Field("Host", "localhost")])
        #expect(throws: Refusal.noToken) { () throws(Refusal) in try usual.decide(request) }
    }

    @Test("a request that another site caused is refused before its token is examined") func otherSites() {
        for (name, value) in [
            ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("sec-fetch-site", ""),
            ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "http://localhost:7383"),
            ("Origin", "https://127.0.0.1:7383"),
        ] {
            #expect(
                status(decide("/", headers: [Self.host, Self.cookie, Field(name, value)])) == 403, "\(name) \(value)")
            #expect(status(decide("/", headers: [Self.host, Field(name, value)])) == 403, "\(name) \(value)")
        }
        for (name, value) in [
            ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "none"), ("Origin", "http://127.0.0.1:7383"),
        ] {
            #expect(
                status(decide("/", headers: [Self.host, Self.cookie, Field(name, value)])) == 200, "\(name) \(value)")
        }
    }

    @Test("the token is exchanged for a cookie at / only, and nothing is served without it") func tokens() {
        #expect(decide("/", [Field("token", Self.secret)], headers: [Self.host]) == .success(.cookie(.page)))
        #expect(status(decide("/events", [Field("token", Self.secret)], headers: [Self.host])) == 404)
        for path in ["/", "/events", "/subscriptions", "/battery", "/changes", "/view.js", "/nothing"] {
            #expect(status(decide(path, headers: [Self.host])) == 401, "\(path)")
        }
        for token in ["", "0", Self.secret.uppercased(), Self.secret + "0", String(repeating: "0", count: 32)] {
            #expect(status(decide("/", [Field("token", token)], headers: [Self.host, Self.cookie])) == 401, "\(token)")
            let cookie = Field("Cookie", "reveille-view-7383=\(token)")
            #expect(status(decide("/", headers: [Self.host, cookie])) == 401, "\(token)")
        }
        let twice = [Field("token", Self.secret), Field("token", Self.secret)]
        #expect(status(decide("/", twice, headers: [Self.host])) == 400)
    }

    @Test("the cookie is found among others, and one of another port does not count") func cookies() {
        for (cookie, expected) in [
            ("a=b; reveille-view-7383=\(Self.secret); c=d", 200),
            ("reveille-view-7383=x; reveille-view-7383=\(Self.secret)", 200),
            ("reveille-view-7384=\(Self.secret)", 401), ("xreveille-view-7383=\(Self.secret)", 401),
            ("reveille-view-7383 =\(Self.secret)", 401), ("reveille-view-7383=\"\(Self.secret)\"", 401), ("=;;=", 401),
        ] {
            #expect(status(decide("/", headers: [Self.host, Field("cookie", cookie)])) == expected, "\(cookie)")
        }
        #expect(gate.cookie == "reveille-view-7383=\(Self.secret); Path=/; HttpOnly; SameSite=Strict")
        #expect(gate.address == "http://127.0.0.1:7383/?token=\(Self.secret)")
    }

    @Test("only GET and HEAD without a body are accepted, with headers of up to 8 KiB") func methods() {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "", "GET "] {
            #expect(status(decide("/", method: method)) == 405, "\(method)")
        }
        #expect(status(decide("/", headers: [Self.host, Self.cookie, Field("Content-Length", "1")])) == 413)
        #expect(status(decide("/", headers: [Self.host, Self.cookie, Field("Transfer-Encoding", "chunked")])) == 413)
        #expect(status(decide("/", headers: [Self.host, Self.cookie, Field("Content-Length", "0")])) == 200)
        #expect(status(decide("/", size: Gate.headerLimit)) == 200)
        #expect(status(decide("/", size: Gate.headerLimit + 1)) == 431)
    }

    @Test("a stream continues from the header, else from the argument; an invalid position is refused") func positions()
    {
        let (older, newer) = (
            Positions(instance: "a", generations: ["battery": 1]),
            Positions(instance: "a", generations: ["battery": 2])
        )
        let arguments = [Field("resume", older.text)]
        #expect(decide("/events", arguments) == .success(.stream(older)))
        let headers = [Self.host, Self.cookie, Field("Last-Event-ID", newer.text)]
        #expect(decide("/events", arguments, headers: headers) == .success(.stream(newer)))
        #expect(decide("/events", [Field("resume", "")]) == .success(.stream(nil)))
        #expect(status(decide("/events", [Field("resume", "a~battery")])) == 400)
        #expect(status(decide("/events", headers: headers + [Field("last-event-id", "a")])) == 400)
    }

    @Test("the paths of a fleet are there with a fleet only") func fleet() throws {
        for path in ["/fleet", "/fleet.js", "/fleet.css", "/fleet/events", "/fleet/device"] {
            #expect(status(decide(path)) == 404, "\(path)")
        }
        #expect(status(decide("/fleet", [Field("token", Self.secret)], headers: [Self.host])) == 404)
        let gate = Gate(port: 7383, token: Self.token, hasFleet: true)
        func accept(_ path: String, _ arguments: [Field] = []) throws(Refusal) -> Gate.Decision {
            try gate.decide(
                PageRequest(
                    method: "GET", path: path, arguments: arguments, headers: [Self.host, Self.cookie], headerSize: 0))
        }
        #expect(try accept("/fleet") == .file(.fleetPage))
        #expect(try accept("/fleet", [Field("token", Self.secret)]) == .cookie(.fleetPage))
        let position = BoardPosition(board: "0a1b", revision: 12)
        #expect(try accept("/fleet/events", [Field("resume", position.text)]) == .fleet(position))
        #expect(throws: Refusal.self) { try accept("/fleet/events", [Field("resume", "a~battery:1")]) }
        #expect(try accept("/fleet/device", [Field("device", "kiosk-7")]) == .device(try DeviceID("kiosk-7")))
        for device in ["", "kiosk/7", "<b>"] {
            #expect(throws: Refusal.self) { try accept("/fleet/device", [Field("device", device)]) }
        }
        #expect(throws: Refusal.self) { try accept("/fleet.js", [Field("token", Self.secret)]) }
    }

    @Test("an argument that is invalid is refused with its text, in printable ASCII") func arguments() {
        #expect(status(decide("/battery", [Field("span", "year")])) == 400)
        #expect(status(decide("/battery", [Field("span", "day"), Field("span", "day")])) == 400)
        for aspect in ["", "a b", "a\0", "battery\n", "org.example.*", String(repeating: "a", count: 256), "é"] {
            #expect(status(decide("/changes", [Field("aspect", aspect)])) == 400, "\(aspect)")
        }
        guard case .failure(let refusal) = decide("/changes", [Field("aspect", "\u{1B}[31mé<")]) else {
            Issue.record("the aspect was accepted")
            return
        }
        #expect(refusal.reason == "The argument aspect must be the name of an aspect, not '?[31m??<'.")
    }

    // MARK: - The token

    @Test("a token is 32 hexadecimal digits, and matches only itself") func matching() throws {
        let token = AccessToken(random: Array(0..<16))
        #expect(token.description == "000102030405060708090a0b0c0d0e0f")
        #expect(token.matches(token.description))
        // Each digit counts.
        for index in 0..<32 {
            var digits = Array(token.description.utf8)
            digits[index] = digits[index] == UInt8(ascii: "f") ? UInt8(ascii: "e") : UInt8(ascii: "f")
            #expect(!token.matches(String(decoding: digits, as: UTF8.self)), "digit \(index)")
        }
        for text in ["", "0", token.description + "0", String(token.description.dropLast()), "é"] {
            #expect(!token.matches(text))
        }
    }
}
