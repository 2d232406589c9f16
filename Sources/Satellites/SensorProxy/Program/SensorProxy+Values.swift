// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleHost
import ReveilleSensorProxyCore

extension SensorProxy {
    /// The reason why the service cannot start or continue.
    struct Failure: Error, CustomStringConvertible {
        let description: String
        var exitCode = EX_UNAVAILABLE
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
