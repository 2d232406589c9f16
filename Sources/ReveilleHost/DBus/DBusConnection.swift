// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
package import ReveilleSystem

/// A connection to a D-Bus message bus, attached to a loop.
///
/// Nothing blocks: the connection is established while the loop runs, and earlier calls wait for it. Loop thread only.
package final class DBusConnection {
    package enum Bus {
        /// The machine's bus, or the bus at `$DBUS_SYSTEM_BUS_ADDRESS`.
        case system
        case user
        /// The bus at an address, such as `unix:path=/run/bus`.
        case address(String)
    }

    private let loop: EventLoop
    let bus: OpaquePointer
    private let pump: DBusPump
    private var calls: [ObjectIdentifier: DBusCall] = [:]
    private var handlers: [DBusHandler] = []
    /// Called when the connection has been lost; calls that had no reply fail before.
    package var closed: () -> Void = {}

    package init(to bus: Bus, loop: EventLoop) throws(SystemError) {
        self.loop = loop
        var opened: OpaquePointer?
        let (operation, result) =
            switch bus {
            case .system: ("sd_bus_open_system", sd_bus_open_system(&opened))
            case .user: ("sd_bus_open_user", sd_bus_open_user(&opened))
            case .address(let address): ("sd_bus_start", Self.open(address, &opened))
            }
        guard result >= 0, let opened else { throw SystemError(operation, code: -result) }
        self.bus = opened
        pump = try DBusPump(opened, loop: loop)
        try listen(
            from: "org.freedesktop.DBus.Local", "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
            "Disconnected"
        ) { [unowned self] _ in closed() }
        pump.failed = { [weak self] in
            // A failed call may release the connection.
            guard let self else { return }
            for call in calls.values { call.fail() }
            closed()
        }
    }

    private static func open(_ address: String, _ opened: inout OpaquePointer?) -> Int32 {
        var bus: OpaquePointer?
        var result = sd_bus_new(&bus)
        guard result >= 0 else { return result }
        result = sd_bus_set_address(bus, address)
        if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
        if result >= 0 { result = sd_bus_start(bus) }
        guard result >= 0 else {
            sd_bus_unref(bus)
            return result
        }
        opened = bus
        return result
    }

    deinit {
        // They refer to the connection.
        for call in calls.values { call.cancel() }
        for handler in handlers { handler.cancel() }
        sd_bus_close_unref(bus)
    }

    /// Calls a method of an object; by default, the bus activates its service if it is not connected.
    ///
    /// For the service manager, the bus waits: in a new session, the first call starts the bus itself, and the manager
    /// connects to it a moment later. The time for connecting is part of the timeout. The completion is called once on the
    /// loop, unless this object is released before.
    package func call(
        _ service: String, _ path: String, _ interface: String, _ member: String, _ values: [DBusValue] = [],
        startsService: Bool = true, timeout: Duration,
        then completion: @escaping (Result<DBusMessage, DBusError>) -> Void
    ) throws(SystemError) {
        let message = try DBusMessage(member, values) { message in
            sd_bus_message_new_method_call(bus, &message, service, path, interface, member)
        }
        sd_bus_message_set_auto_start(message.message, startsService ? 1 : 0)
        let call = DBusCall { [weak self] call, reply in
            self?.calls[ObjectIdentifier(call)] = nil
            completion(reply)
        }
        try call.send(message, over: bus, loop: loop, timeout: timeout)
        calls[ObjectIdentifier(call)] = call
    }

    /// Calls a handler for each signal of an object, until this is released.
    func listen(
        from service: String, _ path: String, _ interface: String, _ member: String,
        handler: @escaping (DBusMessage) -> Void
    ) throws(SystemError) {
        let handler = DBusHandler(handler)
        let result = sd_bus_match_signal_async(
            bus, &handler.slot, service, path, interface, member,
            { message, userdata, _ in DBusHandler.dispatch(userdata, message) }, nil, handler.userdata)
        guard result >= 0 else { throw SystemError("sd_bus_match_signal_async", on: member, code: -result) }
        handlers.append(handler)
    }
}

/// A handler of D-Bus messages: of signals, or of the calls of an object.
package final class DBusHandler {
    var slot: OpaquePointer?
    private let handler: (DBusMessage) -> Void
    /// Whether no other handler takes the message; libsystemd answers other calls with an error.
    private let isLast: Bool

    init(isLast: Bool = false, _ handler: @escaping (DBusMessage) -> Void) {
        self.isLast = isLast
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
        withExtendedLifetime(handler) { handler.handler(DBusMessage(retaining: message)) }
        return handler.isLast ? 1 : 0
    }
}
