// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore

/// A broker, and how a client identifies itself to it.
package struct FleetBroker: Sendable, Hashable, CustomStringConvertible {
    package var address: BrokerAddress
    /// The file of the authorities that may have signed the broker's certificate; `nil` for the system's authorities.
    package var ca: String?
    /// The file of the client's own certificate; `nil` if the broker requires none.
    package var certificate: String?
    package var key: String?
    /// The name of the user; `nil` if the broker requires none.
    package var user: String?
    package var passwordFile: String?
    /// The contents of the file, once read.
    package var password: String?

    /// The largest file of a password in bytes: the longest password in MQTT.
    package static let passwordLimit = 65_535
    /// The longest name of a user in bytes: more than a device's name needs, and short enough to show a mistake in
    /// full.
    package static let userLimit = 255

    package init(address: BrokerAddress) {
        self.address = address
    }

    package var description: String { address.description }

    /// Uses the credentials `ca`, `certificate`, `key` and `password` in place of files that are not named.
    ///
    /// Unused credentials are ignored, since a unit passes all that exist.
    package mutating func complete(with credential: (String) -> String?) {
        if address.usesTLS {
            ca = ca ?? credential("ca")
            if certificate == nil, key == nil {
                certificate = credential("certificate")
                key = credential("key")
            }
        }
        if user != nil { passwordFile = passwordFile ?? credential("password") }
    }

    package func check() throws(ConfigurationError) {
        if !address.usesTLS {
            for (name, path) in [("ca", ca), ("certificate", certificate), ("key", key)] where path != nil {
                throw ConfigurationError(
                    key: name, reason: "has no effect, since the connection to \(address) has no TLS")
            }
        }
        if certificate != nil, key == nil {
            throw ConfigurationError(key: "key", reason: "missing: the certificate needs its key")
        }
        if key != nil, certificate == nil {
            throw ConfigurationError(key: "certificate", reason: "missing: the key needs its certificate")
        }
        if passwordFile != nil, user == nil {
            throw ConfigurationError(key: "user", reason: "missing: the password needs its user")
        }
    }

    /// Reads a password from the contents of its file: the first line.
    package static func password(in contents: [UInt8]) throws(ConfigurationError) -> String {
        func refuse(_ reason: String) -> ConfigurationError { ConfigurationError(key: "passwordFile", reason: reason) }
        let end = contents.last == UInt8(ascii: "\n") ? contents.dropLast() : contents[...]
        guard !end.isEmpty else { throw refuse("the file has no password") }
        guard !end.contains(UInt8(ascii: "\n")) else { throw refuse("the file has more than one line") }
        guard !end.contains(0), let password = String(validating: end, as: UTF8.self) else {
            throw refuse("the password is not UTF-8")
        }
        return password
    }
}
