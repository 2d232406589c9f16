// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import ReveilleViewCore

/// Checks that requests without the token or for another host receive nothing, and that positions and charts survive
/// any contents of a browser and a file.
///
/// The input has lines: the method, the path, the number of arguments, the arguments as `NAME=VALUE`, and the headers
/// as `NAME:VALUE`. A header that begins with `$` gets the right value.
enum ViewTarget {
    private static let token = AccessToken(
        random: [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF])
    private static let secret = token.description
    private static let port: UInt16 = 7_383

    static func check(_ bytes: [UInt8]) throws(Broken) {
        let gate = Gate(port: port, token: token, hasFleet: true)
        let request = request(bytes)
        switch Result(catching: { () throws(Refusal) in try gate.decide(request) }) {
        case .success(let decision): try check(decision, of: request)
        case .failure(let refusal):
            try require((400...499).contains(refusal.status), "a refusal has a status, not \(refusal.status)")
            let isPrintable = refusal.reason.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            try require(isPrintable, "a reason is printable: \(refusal.reason)")
            // A reason may quote the request, and thus anything that the caller knows.
            let isKnown = String(decoding: bytes, as: UTF8.self).contains(secret)
            try require(isKnown || !refusal.reason.contains(secret), "a reason does not reveal the token")
        }
        let target = PageRequest(method: "GET", target: bytes, headers: [], headerSize: 0)
        let isBounded = target.path.unicodeScalars.count <= bytes.count && target.arguments.count <= bytes.count
        try require(isBounded, "a target is not longer than what was sent")
        try checkFiles(bytes)
    }

    private static func check(_ decision: Gate.Decision, of request: PageRequest) throws(Broken) {
        func values(_ name: String) -> [String] {
            request.headers.filter { $0.name.lowercased() == name }.map(\.value)
        }
        let isExchange = if case .cookie = decision { true } else { false }
        let isGiven =
            isExchange
            ? request.arguments.contains(PageRequest.Field("token", secret))
            : values("cookie").contains { $0.contains("reveille-view-\(port)=\(secret)") }
        try require(isGiven, "a request is accepted with the token only")
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        try require(
            values("host").count == 1 && hosts.contains(values("host")[0]), "a request is accepted of a known host")
        try require(["GET", "HEAD"].contains(request.method), "a request is accepted with a known method")
        if case .stream(let position?) = decision {
            try requireEqual(Positions(position.text), position, "a position after it is written")
        }
        if case .fleet(let position?) = decision {
            try requireEqual(BoardPosition(position.text), position, "a position of a board after it is written")
        }
    }

    /// Reads the same bytes as a file of UPower, and draws its chart.
    private static func checkFiles(_ bytes: [UInt8]) throws(Broken) {
        let now: Int64 = 2_000_000_000
        let history = UPowerHistory(bytes, at: now)
        try require(
            history.samples.allSatisfy { (0...1).contains($0.level ?? -1) && $0.time > 0 }, "levels are between 0 and 1"
        )
        let latest = history.samples.map(\.time).max() ?? 0
        try require(latest <= now + UPowerHistory.clockTolerance, "no sample is in the future: \(latest)")
        let chart = BatteryChart(history.samples, from: 0, length: 86_400, intervals: 4)
        try require(chart.points.count <= history.samples.count, "a chart has no points that are not samples")
        if let position = Positions(String(decoding: bytes, as: UTF8.self)) {
            try requireEqual(Positions(position.text), position, "a position after it is written")
        }
    }

    private static func request(_ bytes: [UInt8]) -> PageRequest {
        var input = FuzzInput(bytes)
        let (method, path) = (input.line(), input.line())
        var arguments: [PageRequest.Field] = []
        for _ in 0..<min(8, input.byte()) { arguments.append(field(input.line(), "=")) }
        var headers: [PageRequest.Field] = []
        while !input.rest.isEmpty { headers.append(field(input.line(), ":")) }
        for index in headers.indices where headers[index].value.hasPrefix("$") {
            headers[index].value =
                headers[index].name.lowercased() == "cookie"
                ? "reveille-view-\(port)=\(secret)" : "127.0.0.1:\(port)"
        }
        return PageRequest(
            method: method, path: path, arguments: arguments, headers: headers, headerSize: bytes.count)
    }

    private static func field(_ line: String, _ separator: Character) -> PageRequest.Field {
        let parts = line.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        return PageRequest.Field(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
}
