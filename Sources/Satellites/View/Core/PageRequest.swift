// SPDX-License-Identifier: Apache-2.0

/// A parsed request to the page: a value without a connection.
package struct PageRequest: Sendable {
    /// A header, an argument or a cookie.
    package struct Field: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var method: String
    /// The path without the query, percent-decoded.
    package var path: String
    /// The arguments of the query, percent-decoded, in their order.
    package var arguments: [Field]
    /// The headers in their order; names may repeat.
    package var headers: [Field]
    /// The size of the request line and the headers in bytes.
    package var headerSize: Int

    package init(
        method: String = "GET", path: String, arguments: [Field] = [], headers: [Field], headerSize: Int = 0
    ) {
        self.method = method
        self.path = path
        self.arguments = arguments
        self.headers = headers
        self.headerSize = headerSize
    }

    /// Creates a request with the target of its request line, such as `/battery?span=day`.
    package init(method: String, target: [UInt8], headers: [Field], headerSize: Int) {
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        let pairs = parts.dropFirst().flatMap { $0.split(separator: UInt8(ascii: "&")) }
        let arguments = pairs.map { pair in
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return Field(Self.decoded(name), Self.decoded(pair.dropFirst(name.count + 1)))
        }
        self.init(
            method: method, path: Self.decoded(parts[0]), arguments: arguments, headers: headers,
            headerSize: headerSize)
    }

    /// Replaces each `%` and two hexadecimal digits by a byte, which may be NUL.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var (decoded, rest): ([UInt8], _) = ([], bytes)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                decoded.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    func values(of name: String) -> [String] {
        headers.filter { Self.isEqual($0.name, name) }.map(\.value)
    }

    /// Returns the value of an argument, which must not be repeated; `nil` if it is absent.
    func argument(_ name: String) throws(Refusal) -> String? {
        let values = arguments.filter { $0.name == name }.map(\.value)
        guard values.count <= 1 else { throw .badRequest("the argument \(name) is given more than once") }
        return values.first
    }

    func cookies(_ name: String) -> [Substring] {
        values(of: "cookie").flatMap { header in
            header.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
                let pair = pair.drop { $0 == UInt8(ascii: " ") }
                guard pair.starts(with: name.utf8) else { return nil }
                let rest = pair.dropFirst(name.utf8.count)
                guard rest.first == UInt8(ascii: "=") else { return nil }
                return Substring(rest.dropFirst())
            }
        }
    }

    /// Compares names as HTTP does: the case of ASCII letters does not matter.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
        }
        return one.utf8.lazy.map(lower).elementsEqual(other.utf8.lazy.map(lower))
    }
}

/// The headers that limit what a browser may do with responses.
package enum ResponseHeaders {
    package static let always: [PageRequest.Field] = [
        .init(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        .init("X-Content-Type-Options", "nosniff"),
        .init("Referrer-Policy", "no-referrer"),
        .init("Cache-Control", "no-store"),
        .init("Cross-Origin-Resource-Policy", "same-origin"),
        .init("Cross-Origin-Opener-Policy", "same-origin"),
        // One request a connection, so that the limit of connections also limits the page's concurrent work.
        .init("Connection", "close"),
    ]
}
