// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Where a broker is: `mqtts://HOST[:PORT]`, `mqtt://HOST[:PORT]`, `unix:PATH`, or a host alone.
///
/// Connections to other machines always use TLS.
package struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Endpoint: Sendable, Hashable {
        /// A host and its port, over TLS or in clear.
        case tcp(host: String, port: UInt16, isTLS: Bool)
        case unix(path: String)
    }

    /// The registered port of MQTT over TLS.
    package static let securePort: UInt16 = 8883
    /// The registered port of MQTT.
    package static let plainPort: UInt16 = 1883
    /// The longest name of a host (RFC 1035, 2.3.4).
    private static let hostLimit = 253
    /// The longest path of a Unix socket (unix(7)).
    private static let pathLimit = 107

    package let endpoint: Endpoint

    package init(_ endpoint: Endpoint) { self.endpoint = endpoint }

    /// Parses an address; a host without a scheme is reached over TLS, unless it is this machine.
    package init(_ text: String) throws(FleetError) {
        func refuse(_ reason: String) -> FleetError {
            FleetError(.invalidName, "the broker '\(text.escaped)' \(reason)")
        }
        if let path = text.removing(prefix: "unix:") {
            guard path.hasPrefix("/"), path.utf8.count <= Self.pathLimit, !path.utf8.contains(0) else {
                throw refuse("must be unix: and an absolute path of at most \(Self.pathLimit) bytes")
            }
            endpoint = .unix(path: path)
            return
        }
        let scheme = [(text: "mqtts://", isTLS: true), ("mqtt://", false)].first { text.hasPrefix($0.text) }
        guard scheme != nil || !text.utf8.contains(UInt8(ascii: "/")) else {
            throw refuse("must begin with mqtts://, mqtt:// or unix:")
        }
        let authority = String(text.dropFirst(scheme?.text.count ?? 0))
        guard !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw refuse("must not name a user, which has a key of its own in the configuration")
        }
        guard let (host, digits) = Self.split(authority), Self.isHost(host) else {
            throw refuse("must have a host, an IPv6 address in brackets, and optionally a port")
        }
        let isLocal = Self.isLoopback(host)
        let isTLS = scheme?.isTLS ?? !isLocal
        guard isTLS || isLocal else {
            throw refuse("is another machine, which is reached over TLS only: use mqtts://")
        }
        var port = isTLS ? Self.securePort : Self.plainPort
        if let digits {
            guard digits.utf8.allSatisfy(\.isDigit),
                let number = UInt16(digits), number > 0
            else { throw refuse("has the invalid port '\(digits.escaped)'") }
            port = number
        }
        endpoint = .tcp(host: host, port: port, isTLS: isTLS)
    }

    package var usesTLS: Bool { if case .tcp(_, _, isTLS: true) = endpoint { true } else { false } }

    package var isLocal: Bool { if case .tcp(let host, _, _) = endpoint { Self.isLoopback(host) } else { true } }

    package var description: String {
        switch endpoint {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port, let isTLS):
            (isTLS ? "mqtts://" : "mqtt://") + (host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host) + ":\(port)"
        }
    }

    /// Splits a host and the digits of a port; `nil` if brackets or colons are misplaced.
    private static func split(_ text: String) -> (host: String, port: String?)? {
        if let rest = text.removing(prefix: "[") {
            guard let end = rest.utf8.lastIndex(of: UInt8(ascii: "]")) else { return nil }
            let host = String(rest[..<end])
            let tail = String(rest[rest.utf8.index(after: end)...])
            guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
            if tail.isEmpty { return (host, nil) }
            return tail.removing(prefix: ":").map { (host, $0) }
        }
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2 else { return nil }
        return (String(Substring(parts[0])), parts.count == 2 ? String(Substring(parts[1])) : nil)
    }

    private static func isHost(_ host: String) -> Bool {
        !host.isEmpty && host.utf8.count <= hostLimit
            && host.utf8.allSatisfy { NameRule.isAllowed($0) || ".:%".utf8.contains($0) }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // All of 127/8; a name such as 127.example.org is not an address. With a leading zero, a part is octal for some
        // functions: 0127.0.0.1 is 87.0.0.1, another machine.
        return parts.count == 4
            && parts.allSatisfy { part in UInt8(Substring(part)).map { "\($0)" } == String(Substring(part)) }
            && UInt8(Substring(parts[0])) == 127
    }
}

extension String {
    fileprivate func removing(prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
