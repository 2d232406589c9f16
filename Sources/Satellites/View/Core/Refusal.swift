// SPDX-License-Identifier: Apache-2.0

package struct Refusal: Error, Sendable, Hashable {
    package let status: Int
    /// The reason, a sentence for the person who made the request.
    package let reason: String

    package init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }

    /// The longest quotation from a request in bytes.
    private static let quotationLimit = 80

    static func badRequest(_ reason: String) -> Refusal { Refusal(status: 400, reason: reason) }

    package static let noToken = Refusal(
        status: 401,
        reason:
            "This page requires the token of its address. Open the address that reveille-view prints when it starts.")

    static let wrongToken = Refusal(
        status: 401,
        reason: "The token of this address is not valid. Open the address that reveille-view prints when it starts.")

    static func forbidden(_ reason: String) -> Refusal { Refusal(status: 403, reason: reason) }

    static func notFound(_ path: String) -> Refusal {
        Refusal(status: 404, reason: "There is nothing at \(quoted(path)).")
    }

    package static let noFleet = Refusal(
        status: 404, reason: "There is no fleet. Start reveille-view with --fleet to see one.")

    package static func noDevice(_ device: String) -> Refusal {
        Refusal(status: 404, reason: "The broker has nothing of the device \(quoted(device)).")
    }

    static func method(_ method: String) -> Refusal {
        Refusal(status: 405, reason: "The method must be GET or HEAD, not \(quoted(method)).")
    }

    static let body = Refusal(status: 413, reason: "A request must not have a body.")

    static let header = Refusal(
        status: 431,
        reason: "The request line and the headers must not exceed \(Gate.headerLimit) bytes. Many cookies of other "
            + "programs on this host can be the cause; delete them.")

    package static func full(_ limit: Int) -> Refusal {
        Refusal(status: 503, reason: "The page serves \(limit) connections at a time. Close other tabs or wait.")
    }

    package static func bus(_ reason: String) -> Refusal { Refusal(status: 502, reason: reason) }

    /// Quotes a part of a request: printable ASCII, with `?` in place of other bytes.
    static func quoted(_ text: String) -> String {
        let bytes = text.utf8.prefix(quotationLimit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return "'\(String(decoding: bytes, as: UTF8.self))'" + (text.utf8.count > quotationLimit ? " and so on" : "")
    }
}
