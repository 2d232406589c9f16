// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// Bad and too many requests to `reveille-view`.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ViewLimitTests {
    let scene: ViewScene

    init() throws {
        scene = try ViewScene()
    }

    private func status(_ response: String) -> String { String(response.split(separator: "\r\n").first ?? "") }

    @Test("every response has the headers that limit what a browser does with it") func headers() throws {
        let client = try scene.connect()
        try client.request("/")
        for response in [
            try client.receiveAll(), try scene.get("/"), try scene.get("/nothing"),
            try scene.get("/?token=\(scene.token)"),
        ] {
            for header in [
                "Content-Security-Policy: default-src 'none'; script-src 'self'; ", "X-Content-Type-Options: nosniff",
                "Referrer-Policy: no-referrer", "Cache-Control: no-store", "Connection: close",
            ] {
                #expect(response.contains("\r\n\(header)"), "\(response)")
            }
            #expect(!response.contains("Access-Control"))
        }
    }

    @Test("malformed requests are refused or disconnected, and the page works afterwards") func malformedRequests()
        throws
    {
        let host = "Host: 127.0.0.1:\(scene.port)\r\n"
        var inputs = [
            "\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\(host)\r\n",
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.1\r\n\(host)\(host)\(scene.cookie)\r\n\r\n",
            "GET http://127.0.0.1:\(scene.port)/subscriptions HTTP/1.1\r\n\(host)\r\n",
            "GET /%00%ff%2e%2e/ HTTP/1.1\r\n\(host)\(scene.cookie)\r\n\r\n", "GET /?token=%00 HTTP/1.1\r\n\(host)\r\n",
            "GET / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n",
            "GET / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999\r\n\r\n",
            "GET / HTTP/1.1\r\n\(host)\(scene.cookie)\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            "POST / HTTP/1.1\r\n\(host)\(scene.cookie)\r\nContent-Length: 5\r\n\r\nhello",
            "GET / HTTP/1.1\r\n\(host)X: " + String(repeating: "a", count: 9_000) + "\r\n\r\n",
            "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\n\(host)\r\n",
            "GET / HTTP/1.1\r\n\(host)" + String(repeating: "a: b\r\n", count: 5_000) + "\r\n",
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET / HTTP/1.1\r\n folded: x\r\n\(host)\r\n",
        ].map { Array($0.utf8) }
        let valid = Array("GET /subscriptions HTTP/1.1\r\n\(host)\(scene.cookie)\r\n\r\n".utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count - 4, using: &random)
                bytes[index] =
                    [0, 10, 13, 32, 58, 127, 255, UInt8.random(in: .min ... .max, using: &random)].randomElement(
                        using: &random) ?? 0
            }
            inputs.append(bytes)
        }
        for input in inputs {
            let client = try scene.connect()
            client.send(input)
            shutdown(client.descriptor, Int32(SHUT_WR))
            let response = try client.receiveAll()
            let isAnswered = response.isEmpty || response.hasPrefix("HTTP/1.")
            #expect(isAnswered, "\(String(decoding: input, as: UTF8.self)) was answered with \(response)")
            if inputs.first == input || input.starts(with: Array("POST".utf8)) {
                #expect(!status(response).contains("200"))
            }
        }
        #expect(status(try scene.get("/subscriptions")) == "HTTP/1.1 200 OK")
        #expect(try scene.subscriptions() == ["reveille-view history"])
    }

    @Test("the 33rd connection is refused with the reason, and a stream that is open continues")
    func tooManyConnections() throws {
        let (stream, _) = try scene.stream()
        var idle = try (0..<31).map { _ in try scene.connect() }
        let response = try scene.get("/")
        #expect(status(response) == "HTTP/1.1 503 Service Unavailable")
        #expect(response.hasSuffix("The page serves 32 connections at a time. Close other tabs or wait.\n"))
        try scene.publish("org.example.a", ["n": 1])
        #expect(try stream.message("events").events(of: "org.example.a").count == 1)
        idle.removeAll()
        try wait(for: "the page to serve again") { (try? scene.get("/"))?.hasPrefix("HTTP/1.1 200 OK") == true }
    }

    @Test("1,000 connections harm neither the page nor the bus") func manyConnections() throws {
        let (stream, _) = try scene.stream()
        var open: [PageClient] = []
        for number in 0..<1_000 {
            // As many as this process may have, in turn.
            if open.count >= 200 { open.removeFirst(100) }
            let client = try scene.connect()
            if number % 2 == 0 { client.send(Array("GET /events HTTP/1.1\r\n".utf8)) }
            open.append(client)
        }
        #expect(try descriptors() < 100)
        #expect(try scene.subscriptions().count == 2)
        try scene.publish("org.example.a", ["n": 1])
        #expect(try stream.message("events").events(of: "org.example.a").count == 1)
        open.removeAll()
        try wait(for: "the page to serve again") { (try? scene.get("/"))?.hasPrefix("HTTP/1.1 200 OK") == true }
    }

    private func descriptors() throws -> Int {
        try DirectoryListing.files(in: "/proc/\(scene.view.process.pid)/fd").count
    }

    @Test("a request that does not end is disconnected after its time, however slowly it continues") func slowRequest()
        throws
    {
        let client = try scene.connect()
        client.send(Array("GET / HTTP/1.1\r\n".utf8))
        // A byte whenever the page has not answered for a while. Without a deadline, each would give it more time.
        try wait(for: "the page to disconnect") {
            var request = pollfd(fd: client.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&request, 1, 500) > 0 { return true }
            client.send([UInt8(ascii: "a")])
            return false
        }
        #expect(status(try scene.get("/")) == "HTTP/1.1 200 OK")
    }
}
