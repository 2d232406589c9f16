// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ReveilleConsole
import ReveilleFleet
import ReveilleFleetCore

extension Failure {
    init(_ error: FleetError) {
        let code: Code =
            switch error.code {
            case .invalidName: .usage
            case .invalidConfiguration: .configuration
            case .unreachable: .noBus
            case .tls, .refused: .permission
            case .invalidMessage: .protocol
            default: .failure
            }
        self.init(code, error.description)
    }

    /// Runs the body of a command, whose options may name no broker; an error is printed, and ends the process.
    static func guarding(_ broker: BrokerOptions? = nil, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            var failure = error as? Failure ?? (error as? FleetError).map(Failure.init) ?? Failure(.failure, "\(error)")
            if failure.code == .noBus, let broker, broker.isUsual {
                failure = Failure(.noBus, "\(failure); name another broker with --broker or $REVEILLE_BROKER")
            }
            failure.end(FleetCommand.name)
        }
    }
}

extension BrokerOptions {
    /// Whether no broker is named, so that the default applies.
    var isUsual: Bool { broker == nil && FleetBroker.named == nil }

    func fleet() throws(Failure) -> FleetBroker {
        do throws(FleetError) {
            return try FleetBroker(
                named: broker, ca: ca, certificate: certificate, key: key, user: user, passwordFile: passwordFile)
        } catch {
            throw Failure(.usage, error.description)
        }
    }
}
