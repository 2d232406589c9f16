// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleFleetCore
import ReveilleSystem

extension FleetBroker {
    /// The default broker: on this machine, as for a first try.
    private static let usual = "localhost"

    /// The broker that the environment names, if any.
    package static var named: String? { Environment["REVEILLE_BROKER"] }

    /// Creates a broker from the options of a program, and reads the password.
    ///
    /// - Parameters:
    ///   - address: The address; `nil` for the environment's broker, or the default.
    ///   - ca: The file of the authorities that may have signed the broker's certificate.
    ///   - certificate: The file of the client's own certificate.
    ///   - key: The file of the certificate's key.
    ///   - user: The name of the user.
    ///   - passwordFile: The file of the user's password.
    /// - Throws: `FleetError` with `FleetError.Code.invalidName` for an invalid address, and
    ///   `FleetError.Code.invalidConfiguration` if the other options do not fit together, or the file cannot be used.
    package init(
        named address: String?, ca: String?, certificate: String?, key: String?, user: String?, passwordFile: String?
    ) throws(FleetError) {
        var access = BrokerAccess(address: try BrokerAddress(address ?? Self.named ?? Self.usual))
        (access.ca, access.certificate, access.key) = (ca, certificate, key)
        (access.user, access.passwordFile) = (user, passwordFile)
        do throws(ConfigurationError) {
            try access.check()
            try self.init(reading: access)
        } catch {
            throw FleetError(.invalidConfiguration, "\(error)")
        }
    }

    /// Creates a broker, and reads the password.
    ///
    /// - Throws: `ConfigurationError` if the file of the password cannot be used.
    package init(reading access: BrokerAccess) throws(ConfigurationError) {
        self.init(access, password: try access.passwordFile.map(Self.password))
    }

    private static func password(in path: String) throws(ConfigurationError) -> String {
        let contents: [UInt8]
        do throws(RequiredFile.Unusable) {
            contents = try RequiredFile.read(path, limit: BrokerAccess.passwordLimit)
        } catch {
            throw ConfigurationError(key: nil, reason: "\(error)")
        }
        return try BrokerAccess.password(in: contents)
    }
}
