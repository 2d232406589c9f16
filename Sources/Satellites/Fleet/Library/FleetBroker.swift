// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleFleetCore
package import ReveilleMQTT
import ReveilleSystem

/// A broker, and a password that has been read.
package struct FleetBroker: Sendable, Hashable, CustomStringConvertible {
    package let access: BrokerAccess
    private let password: String?

    package init(_ access: BrokerAccess, password: String? = nil) {
        self.access = access
        self.password = password
    }

    package var description: String { access.address.description }

    /// Returns options for a connection that leaves nothing behind on the broker.
    package func options(clientID: String) -> MQTTConnection.Options {
        var options = MQTTConnection.Options(broker: endpoint, clientID: clientID)
        options.user = access.user
        options.password = password
        return options
    }

    private var endpoint: MQTTConnection.Endpoint {
        switch access.address.endpoint {
        case .unix(let path): .unix(path)
        case .tcp(let host, let port, isTLS: false): .tcp(host: host, port: port, tls: nil)
        case .tcp(let host, let port, isTLS: true):
            .tcp(
                host: host, port: port,
                tls: MQTTConnection.TLS(ca: access.ca, certificate: access.certificate, key: access.key))
        }
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
