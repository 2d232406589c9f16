// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleSystem
import SensorClaims

extension SensorProxy {
    enum Failure: Error, CustomStringConvertible {
        /// The bus does not answer.
        case bus(ReveilleError)
        case unreachable(SystemError)
        case disconnected
        case nameTaken
        case refused(DBusError)
        case system(SystemError)

        var description: String {
            let name = SensorObject.busName
            return switch self {
            case .bus(let error): "\(error)"
            case .unreachable(let error): "cannot connect to the system's D-Bus: \(error)"
            case .disconnected: "the connection to the system's D-Bus was lost"
            case .nameTaken:
                "\(name): another program has this name on the system's D-Bus; stop iio-sensor-proxy or the other "
                    + "reveille-sensor-proxy"
            case .refused(let error): "\(name): the system's D-Bus refuses the name: \(error)"
            case .system(let error): "\(error)"
            }
        }

        var exitCode: Int32 {
            switch self {
            case .bus, .unreachable, .disconnected, .nameTaken: EX_UNAVAILABLE
            case .refused(let error): error.name == DBusError.accessDenied ? EX_NOPERM : EX_UNAVAILABLE
            case .system: EXIT_FAILURE
            }
        }
    }
}

extension SensorAnswer {
    var values: [DBusValue] {
        switch self {
        case .done: []
        case .value(let value): [.variant(value.value)]
        case .values(let entries): [entries.dictionary]
        case .description(let text): [.string(text)]
        }
    }
}

extension [PropertyEntry] {
    var dictionary: DBusValue { .dictionary(map { ($0.name, $0.value.value) }) }
}

extension PropertyValue {
    fileprivate var value: DBusValue {
        switch self {
        case .boolean(let isTrue): .boolean(isTrue)
        case .text(let text): .string(text)
        case .number(let number): .real(number)
        }
    }
}
