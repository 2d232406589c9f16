// SPDX-License-Identifier: Apache-2.0

package struct DBusError: Error, Hashable, CustomStringConvertible {
    /// The name, such as `org.freedesktop.DBus.Error.AccessDenied`.
    package let name: String
    /// The text of the peer, or of libsystemd.
    package let message: String

    package init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { message.isEmpty ? name : "\(message) (\(name))" }

    package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"

    static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// Whether a bus reports that a service is not connected to it and cannot be activated.
    ///
    /// Without a running manager, a message bus executes `/bin/false` to activate it.
    var isAbsence: Bool { Self.absences.contains(name) || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") }

    private static let absences: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    ]
}
