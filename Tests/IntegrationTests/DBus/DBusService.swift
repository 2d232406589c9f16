// SPDX-License-Identifier: Apache-2.0

import ReveilleHost
import ReveilleSystem
import ReveilleTesting

/// A service in this process, whose objects a test sets.
actor DBusService {
    typealias Properties = [String: DBusValue]
    typealias Interfaces = [String: Properties]

    private let thread: LoopThread
    private let address: String
    private var connection: DBusConnection?
    private var handlers: [DBusHandler] = []
    private var objects: [String: Interfaces] = [:]
    private var isSilent = false
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(address: String) async throws {
        thread = try LoopThread()
        self.address = address
    }

    // The loop and what uses it are released on its thread.
    isolated deinit {}

    /// Appears on the message bus under a name, with objects and, at the root, their manager.
    func appear(_ name: String, _ objects: [String: Interfaces]) async throws {
        self.objects = objects
        let connection = try DBusConnection(to: .address(address), loop: thread.loop)
        self.connection = connection
        for path in Set(objects.keys).union(["/"]) {
            handlers.append(try connection.serve(path) { self.answer($0, at: path) })
        }
        let isOwner = await withCheckedContinuation { done in
            do {
                try connection.request(name: name, timeout: .seconds(10)) { outcome in
                    done.resume(returning: (try? outcome.get()) == .acquired)
                }
            } catch {
                done.resume(returning: false)
            }
        }
        guard isOwner else { throw Trouble("the message bus refuses \(name)") }
    }

    func leave() {
        handlers = []
        connection = nil
    }

    /// Leaves calls without an answer from now on.
    func fallSilent() { isSilent = true }

    /// Sets a property without a signal.
    func setQuietly(_ path: String, _ interface: String, _ property: String, _ value: DBusValue) {
        objects[path]?[interface]?[property] = value
    }

    /// Sets a property, and announces it.
    func set(
        _ path: String, _ interface: String, _ property: String, _ value: DBusValue, invalidates: Bool = false
    ) throws {
        setQuietly(path, interface, property, value)
        let changed = DBusValue.dictionary(invalidates ? [] : [(property, value)])
        try signal(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), changed, .strings(invalidates ? [property] : [])])
    }

    func signal(_ path: String, _ interface: String, _ member: String, _ values: [DBusValue]) throws {
        try connection?.signal(path, interface, member, values)
    }

    private func answer(_ call: DBusMessage, at path: String) {
        guard !isSilent, let connection else { return }
        let first = call.signature == "as" ? nil : call.string()
        let values: [DBusValue]?
        switch call.member {
        case "GetAll": values = objects[path]?[first ?? ""].map { [Self.dictionary($0)] }
        case "GetManagedObjects":
            let all = objects.sorted { $0.key < $1.key }.map { path, interfaces in
                DBusValue.entry(
                    .path(path),
                    .array(of: "{sa{sv}}", interfaces.map { .entry(.string($0), Self.dictionary($1)) }))
            }
            values = [.array(of: "{oa{sa{sv}}}", all)]
        default: values = nil
        }
        if let values {
            try? connection.answer(call, with: values)
        } else {
            try? connection.answer(
                call, with: DBusError(name: "org.freedesktop.DBus.Error.UnknownInterface", message: "none"))
        }
    }

    private static func dictionary(_ properties: Properties) -> DBusValue {
        .dictionary(properties.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
