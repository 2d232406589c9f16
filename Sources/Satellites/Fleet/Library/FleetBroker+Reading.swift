// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleFleetCore
import ReveilleMQTT
import ReveilleSystem

extension FleetBroker {
    /// The default broker: on this machine, as for a first try.
    private static let usual = "localhost"

    /// The broker that the environment names, if any.
    package static var named: String? { Environment["REVEILLE_BROKER"] }

    /// Creates a broker from the options of a program, and reads the password.
    ///
    /// Without an address, it is the environment's broker, or the default.
    package init(
        named address: String?, ca: String?, certificate: String?, key: String?, user: String?, passwordFile: String?
    ) throws(FleetError) {
        self.init(address: try BrokerAddress(address ?? Self.named ?? Self.usual))
        (self.ca, self.certificate, self.key) = (ca, certificate, key)
        (self.user, self.passwordFile) = (user, passwordFile)
        do throws(ConfigurationError) {
            try check()
            try readPassword()
        } catch {
            throw FleetError(.invalidConfiguration, "\(error)")
        }
    }

    /// Reads the file of the password, if there is one.
    package mutating func readPassword() throws(ConfigurationError) {
        guard let passwordFile else { return }
        let bytes = try Result { () throws(RequiredFile.Unusable) in
            try RequiredFile.read(passwordFile, limit: Self.passwordLimit)
        }.mapError { ConfigurationError(key: nil, reason: "\($0)") }.get()
        password = try Self.password(in: bytes)
    }
}

extension FleetError {
    init(_ error: MQTTError) {
        let code: Code =
            switch error.kind {
            case .unreachable, .lost: .unreachable
            case .tls: .tls
            case .refused, .takenOver, .protocol: .refused
            }
        self.init(code, error.description)
    }
}
