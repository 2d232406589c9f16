// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

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
    static func guarding(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            let failure = error as? Failure ?? (error as? FleetError).map(Failure.init)
            (failure ?? Failure(.failure, "\(error)")).end(FleetCommand.name)
        }
    }
}
