// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The host and the port of a gpsd.
struct Endpoint: ExpressibleByArgument, CustomStringConvertible {
    /// gpsd's registered port.
    private static let usualPort: UInt16 = 2947

    /// A gpsd on this machine.
    static let usual = Endpoint(host: "localhost", port: usualPort)

    let host: String
    let port: UInt16

    /// Parses `HOST`, `HOST:PORT`, or `[ADDRESS]:PORT` for an IPv6 address.
    init?(argument: String) {
        var host = argument[...]
        var port: Substring?
        if argument.hasPrefix("["), let bracket = argument.firstIndex(of: "]") {
            let rest = argument[argument.index(after: bracket)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            host = argument[argument.index(after: argument.startIndex)..<bracket]
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = argument.firstIndex(of: ":") {
            host = argument[..<colon]
            port = argument[argument.index(after: colon)...]
        }
        guard !host.isEmpty, let number = port.map({ UInt16($0) }) ?? Self.usualPort, number > 0 else { return nil }
        self.init(host: String(host), port: number)
    }

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    var defaultValueDescription: String { description }
}
