// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// A handler of D-Bus messages: of signals, or of the calls of an object.
package final class DBusHandler {
    var slot: OpaquePointer?
    /// Returns whether the message is handled; libsystemd answers other calls with an error.
    private let handler: (DBusMessage) -> Bool

    init(_ handler: @escaping (DBusMessage) -> Bool) {
        self.handler = handler
    }

    deinit {
        cancel()
    }

    /// The pointer that libsystemd passes to the callback.
    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    package func cancel() {
        slot = sd_bus_slot_unref(slot)
    }

    static func dispatch(_ userdata: UnsafeMutableRawPointer?, _ message: OpaquePointer?) -> Int32 {
        guard let userdata, let message else { preconditionFailure("message without a handler") }
        // The strong reference allows the handler to release the last other reference.
        let handler = Unmanaged<DBusHandler>.fromOpaque(userdata).takeUnretainedValue()
        return withExtendedLifetime(handler) { handler.handler(DBusMessage(retaining: message)) ? 1 : 0 }
    }
}
