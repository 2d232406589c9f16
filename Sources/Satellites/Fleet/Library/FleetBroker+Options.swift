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
    /// Without an address, it is the environment's broker, or the default.
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
