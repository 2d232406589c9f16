// SPDX-License-Identifier: Apache-2.0

import CSystemd
import ReveilleSystem

/// A D-Bus call that waits for its reply, at most for a time.
final class DBusCall {
    private var slot: OpaquePointer?
    private var timer: EventSource?
    private var completion: ((DBusCall, Result<DBusMessage, DBusError>) -> Void)?

    init(then completion: @escaping (DBusCall, Result<DBusMessage, DBusError>) -> Void) {
        self.completion = completion
    }

    func send(
        _ message: DBusMessage, over bus: OpaquePointer, loop: EventLoop, timeout: Duration
    ) throws(SystemError) {
        // libsystemd would count from the end of connecting, which may take longer.
        let timer = try loop.timer { [unowned self] in
            finish(.failure(DBusError(name: DBusError.late, message: "no reply within \(timeout)")))
        }
        let result = sd_bus_call_async(
            bus, &slot, message.message,
            { message, userdata, _ in DBusCall.dispatch(userdata, message) },
            Unmanaged.passUnretained(self).toOpaque(), UInt64.max)
        guard result >= 0 else { throw SystemError("sd_bus_call_async", code: -result) }
        timer.fire(after: timeout)
        self.timer = timer
    }

    /// Ends the call without calling the completion.
    func cancel() {
        completion = nil
        timer?.cancel()
        timer = nil
        slot = sd_bus_slot_unref(slot)
    }

    /// Ends the call with the error that libsystemd has for a lost connection.
    func fail() {
        finish(
            .failure(DBusError(name: "org.freedesktop.DBus.Error.NoReply", message: "Connection terminated")))
    }

    private static func dispatch(_ userdata: UnsafeMutableRawPointer?, _ message: OpaquePointer?) -> Int32 {
        guard let userdata, let message else { preconditionFailure("reply without a call") }
        let call = Unmanaged<DBusCall>.fromOpaque(userdata).takeUnretainedValue()
        guard let error = sd_bus_message_get_error(message) else {
            call.finish(.success(DBusMessage(retaining: message)))
            return 0
        }
        call.finish(
            .failure(
                DBusError(
                    name: error.pointee.name.map { String(cString: $0) } ?? "",
                    message: error.pointee.message.map { String(cString: $0) } ?? "")))
        return 0
    }

    private func finish(_ reply: Result<DBusMessage, DBusError>) {
        let completion = completion
        cancel()
        completion?(self, reply)
    }
}

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
    /// The name of no reply in time; a peer's name would have a dot, so a peer that errs at once is not late.
    package static let late = "late"
    /// Whether a service is not connected and cannot be activated, for which a bus without a manager executes `/bin/false`.
    var isAbsence: Bool { Self.absences.contains(name) || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.") }

    private static let absences: Set = [
        "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
    ]
}
