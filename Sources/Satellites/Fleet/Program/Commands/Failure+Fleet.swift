// SPDX-License-Identifier: Apache-2.0

import ReveilleConsole
import ReveilleFleetCore
import ReveilleSystem

extension Failure {
    /// Creates the failure of a command that reads or changes a fleet.
    init(_ error: FleetError) {
        let code: Code =
            switch error.code {
            case .invalidName: .usage
            case .invalidConfiguration: .configuration
            case .unreachable: .noBus
            case .tls, .refused: .permission
            case .invalidMessage: .protocol
            case .positions, .unexpectedValue: .failure
            }
        self.init(code, error.description)
    }

    /// Runs a command's body; an error is printed to stderr as one line and ends the process.
    ///
    /// - Parameters:
    ///   - broker: The options of the command, which may have named no broker.
    ///   - body: The body.
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
