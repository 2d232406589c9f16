// SPDX-License-Identifier: Apache-2.0

import ReveilleDBusCore
import ReveilleSimulation
import Varlink

/// What services do.
extension World {
    mutating func appear(
        _ name: String, _ objects: [String: [String: [String: JSON]]], isExported: Bool = true
    ) {
        lastOwner += 1
        let old = services[name]?.owner ?? ""
        let owner = ":1.\(lastOwner)"
        services[name] = Service(owner: owner, isExported: isExported, objects: objects)
        send(
            from: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
            [.string(name), .string(old), .string(owner)])
    }

    /// The objects of a service answer from now on; their first signals tell nothing new.
    mutating func export(_ name: String, announces: Bool) {
        guard let service = services[name], !service.isExported else { return }
        services[name]?.isExported = true
        guard announces else { return }
        for (path, interfaces) in service.objects.sorted(by: { $0.key < $1.key }) {
            for (interface, properties) in interfaces.sorted(by: { $0.key < $1.key }) {
                guard let first = properties.min(by: { $0.key < $1.key }) else { continue }
                set(name, path, interface, first.key, first.value)
            }
        }
    }

    mutating func leave(_ name: String) {
        guard let service = services.removeValue(forKey: name) else { return }
        for request in requests where request.call.destination == service.owner {
            inbox.append((request.call.bus, .reply(request.number, nil, isTimeout: false)))
        }
        requests.removeAll { $0.call.destination == service.owner }
        send(
            from: "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
            [.string(name), .string(service.owner), .string("")])
    }

    mutating func set(_ name: String, _ path: String, _ interface: String, _ property: String, _ value: JSON) {
        guard let service = services[name], service.objects[path]?[interface] != nil else { return }
        services[name]?.objects[path]?[interface]?[property] = value
        guard service.isExported else { return }
        if interface == "org.freedesktop.appearance" {
            return send(
                from: service.owner, path, "org.freedesktop.portal.Settings", "SettingChanged",
                [.string(interface), .string(property), value])
        }
        if choices.happens(onceIn: 8) { return setUnreadably(name, path) }
        let isInvalidated = choices.happens(onceIn: 3)
        let changed: JSON = isInvalidated ? [:] : .object(JSONObject(members: [.init(name: property, value: value)]))
        send(
            from: service.owner, path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), changed, isInvalidated ? [.string(property)] : []])
    }

    /// Sends a signal whose values cannot be read.
    mutating func setUnreadably(_ name: String, _ path: String) {
        guard let service = services[name] else { return }
        send(from: service.owner, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", nil)
    }

    /// Adds an object, or removes it with `nil`.
    mutating func setObject(_ path: String, _ interfaces: [String: [String: JSON]]?, of name: String) {
        guard let service = services[name], (service.objects[path] == nil) != (interfaces == nil) else { return }
        services[name]?.objects[path] = interfaces
        guard service.isExported else { return }
        let isPower = name == "org.freedesktop.UPower"
        send(
            from: service.owner, isPower ? "/org/freedesktop/UPower" : "/",
            isPower ? name : "org.freedesktop.DBus.ObjectManager",
            isPower ? "DeviceAdded" : "InterfacesAdded", [.string(path)])
    }

    private static func object(_ values: [String: JSON]) -> JSONObject {
        JSONObject(members: values.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) })
    }

    func answer(_ call: Follower.Call) -> [JSON]? {
        guard let service = services.values.first(where: { $0.owner == call.destination }), service.isExported else {
            return nil
        }
        let path = call.path.hasSuffix("/session/auto") ? call.path.replacing("auto", with: "_31") : call.path
        switch call.member {
        case "GetAll":
            return service.objects[path]?[call.argument?.stringValue ?? ""].map { [.object(Self.object($0))] }
        case "ReadAll":
            let name = call.argument?.arrayValue?.first?.stringValue ?? ""
            return [.object(Self.object([name: .object(Self.object(service.objects[path]?[name] ?? [:]))]))]
        case "EnumerateDevices": return [.array(service.objects.keys.sorted().map { .string($0) })]
        case "GetManagedObjects":
            let objects = service.objects.mapValues {
                JSON.object(Self.object($0.mapValues { .object(Self.object($0)) }))
            }
            return [.object(Self.object(objects))]
        default: return nil
        }
    }
}
