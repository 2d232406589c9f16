// SPDX-License-Identifier: Apache-2.0

extension ServiceManager {
    package enum Failure: Error, Hashable, CustomStringConvertible {
        case absent(String)
        /// The manager does not have the unit, or the unit is not running.
        case unknownUnit(String)
        /// A unit of this name is loaded.
        case exists
        /// Anything else: the manager refused the call, did not reply, or its job failed.
        case refused(String)

        package var description: String {
            switch self {
            case .absent(let reason): "no service manager: \(reason)"
            case .unknownUnit(let reason), .refused(let reason): "service manager: \(reason)"
            case .exists: "service manager: the unit exists"
            }
        }

        private static let unknownUnits: Set = [
            "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.systemd1.NoUnitForPID",
            "org.freedesktop.systemd1.UnitInactive",
        ]

        init(_ error: DBusError) {
            if error.isAbsence {
                self = .absent("it is not connected to the message bus")
            } else if Self.unknownUnits.contains(error.name) {
                self = .unknownUnit(error.message)
            } else if error.name == "org.freedesktop.systemd1.UnitExists" {
                self = .exists
            } else {
                self = .refused(error.message.isEmpty ? error.name : error.message)
            }
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
