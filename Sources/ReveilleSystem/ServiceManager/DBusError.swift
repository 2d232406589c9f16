// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The failure of a D-Bus call.
struct DBusError: Error, Hashable {
    /// The name, such as `org.freedesktop.DBus.Error.AccessDenied`.
    let name: String
    /// The text of the peer, or of libsystemd.
    let message: String

    /// The name of the error that a bus or libsystemd reports for a peer that does not reply.
    static let noReply = "org.freedesktop.DBus.Error.NoReply"
    /// The names of the errors with which a bus reports that a service is not connected to it.
    static let absentService: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    ]
}
