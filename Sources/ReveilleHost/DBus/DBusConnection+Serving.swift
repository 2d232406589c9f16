// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import ReveilleSystem

extension DBusConnection {
    package enum NameOutcome: Sendable, Hashable {
        case acquired
        case taken
    }

    private static let driver = "org.freedesktop.DBus"
    private static let driverPath = "/org/freedesktop/DBus"
    /// The request fails at once if the name has an owner (DBUS_NAME_FLAG_DO_NOT_QUEUE).
    private static let doNotQueue: UInt32 = 4
    /// The replies of RequestName that mean that the name belongs to the caller.
    private static let ownerReplies: Set<UInt32> = [1, 4]

    /// Requests a well-known name; calls to it arrive at the objects that are served.
    package func request(
        name: String, timeout: Duration, then completion: @escaping (Result<NameOutcome, DBusError>) -> Void
    ) throws(SystemError) {
        try call(
            Self.driver, Self.driverPath, Self.driver, "RequestName", [.string(name), .number(Self.doNotQueue)],
            timeout: timeout
        ) { reply in
            completion(reply.map { Self.ownerReplies.contains($0.number() ?? 0) ? .acquired : .taken })
        }
    }

    /// Calls back with whether a name has an owner; `nil` if the bus does not answer.
    package func hasOwner(
        _ name: String, timeout: Duration, then completion: @escaping (Bool?) -> Void
    ) throws(SystemError) {
        try call(Self.driver, Self.driverPath, Self.driver, "NameHasOwner", [.string(name)], timeout: timeout) {
            reply in
            completion((try? reply.get())?.boolean())
        }
    }

    /// Waits for all names on a message bus; `nil` if it is missing or does not answer.
    package static func names(on bus: Bus) throws(SystemError) -> [String]? {
        let loop = try EventLoop()
        guard let connection = try? DBusConnection(to: bus, loop: loop) else { return nil }
        var names: [String]?
        try connection.call(driver, driverPath, driver, "ListNames", timeout: patience) { reply in
            if case .array(_, let values)? = (try? reply.get())?.values(atMost: namesLimit)?.first {
                names = values.compactMap { if case .string(let name) = $0 { name } else { nil } }
            }
            loop.exit()
        }
        try loop.run()
        return names
    }

    /// The time in which a message bus answers a person who waits.
    private static let patience: Duration = .seconds(5)
    /// The most bytes of all names: more than a bus has connections.
    private static let namesLimit = 1 << 20

    /// Calls a handler with the name of each connection that leaves the bus, until the result is released.
    ///
    /// There is one rule for all names, because a bus limits a connection's rules, but not its peers.
    package func listenForDepartures(_ handler: @escaping (String) -> Void) throws(SystemError) -> DBusHandler {
        try listenForOwners("arg2=''") { name, _ in
            // When a well-known name is released, its owner may stay.
            if name.hasPrefix(":") { handler(name) }
        }
    }

    /// Calls a handler whenever a name has another owner or none, until the result is released.
    func listenForOwners(
        of name: String, _ handler: @escaping (_ isOwned: Bool) -> Void
    ) throws(SystemError) -> DBusHandler {
        try listenForOwners("arg0='\(name)'") { _, owner in handler(!owner.isEmpty) }
    }

    private func listenForOwners(
        _ condition: String, _ handler: @escaping (_ name: String, _ owner: String) -> Void
    ) throws(SystemError) -> DBusHandler {
        let rule = """
            type='signal',sender='\(Self.driver)',path='\(Self.driverPath)',interface='\(Self.driver)',\
            member='NameOwnerChanged',\(condition)
            """
        return try match(rule) { signal in
            guard let name = signal.string(), signal.string() != nil, let owner = signal.string() else { return }
            handler(name, owner)
        }
    }

    /// Calls a handler for each message that a match rule describes, until the result is released.
    package func match(
        _ rule: String, _ handler: @escaping (DBusMessage) -> Void
    ) throws(SystemError) -> DBusHandler {
        let handler = DBusHandler(handler)
        let result = sd_bus_add_match_async(
            bus, &handler.slot, rule, { message, userdata, _ in DBusHandler.dispatch(userdata, message) }, nil,
            handler.userdata)
        guard result >= 0 else { throw SystemError("sd_bus_add_match_async", on: rule, code: -result) }
        return handler
    }

    /// Calls a handler for each call of an object, until the result is released; the handler answers, now or later.
    package func serve(_ path: String, handler: @escaping (DBusMessage) -> Void) throws(SystemError) -> DBusHandler {
        let handler = DBusHandler(isLast: true, handler)
        let result = sd_bus_add_object(
            bus, &handler.slot, path, { message, userdata, _ in DBusHandler.dispatch(userdata, message) },
            handler.userdata)
        guard result >= 0 else { throw SystemError("sd_bus_add_object", on: path, code: -result) }
        return handler
    }

    /// Answers a call with values; the connection continues after an error.
    package func answer(_ call: DBusMessage, with values: [DBusValue]) throws(SystemError) {
        // libsystemd checks this for errors only.
        guard sd_bus_message_get_expect_reply(call.message) > 0 else { return }
        let reply = try DBusMessage("sd_bus_message_new_method_return", values) { reply in
            sd_bus_message_new_method_return(call.message, &reply)
        }
        try send(reply, to: nil)
    }

    package func answer(_ call: DBusMessage, with error: DBusError) throws(SystemError) {
        var raw = sd_bus_error()
        defer { sd_bus_error_free(&raw) }
        sd_bus_error_set(&raw, error.name, error.message)
        let result = sd_bus_reply_method_error(call.message, &raw)
        guard result >= 0 else { throw SystemError("sd_bus_reply_method_error", on: call.sender, code: -result) }
    }

    /// Sends a signal of an object, to one connection or to all, which continue after an error.
    package func signal(
        _ path: String, _ interface: String, _ member: String, _ values: [DBusValue], to destination: String? = nil
    ) throws(SystemError) {
        let signal = try DBusMessage(member, values) { sd_bus_message_new_signal(bus, &$0, path, interface, member) }
        try send(signal, to: destination)
    }

    private func send(_ message: DBusMessage, to destination: String?) throws(SystemError) {
        let result =
            if let destination {
                sd_bus_send_to(bus, message.message, destination, nil)
            } else {
                sd_bus_send(bus, message.message, nil)
            }
        guard result >= 0 else { throw SystemError("sd_bus_send", on: destination, code: -result) }
    }
}
