// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// The contents of a bridge's file of positions, in both directions: to the broker, and from the fleet.
package struct BridgePositions: Sendable, Hashable {
    private static let version: Int64 = 1

    package var uplink: UplinkPositions
    package var desired: [String: DesiredStates.Applied]
    /// The prefixes of announcements to Home Assistant that the broker may still have.
    package var announced: [String]
    /// The entities of published names in the last announcement.
    package var entities: [String]

    package init(
        uplink: UplinkPositions, desired: [String: DesiredStates.Applied], announced: [String] = [],
        entities: [String] = []
    ) {
        self.uplink = uplink
        self.desired = desired
        self.announced = announced
        self.entities = entities
    }

    package init(parsing bytes: [UInt8]) throws(FleetError) {
        let json = try Result { () throws(JSONError) in try JSON.parse(bytes) }
            .mapError { FleetError(.positions, "it is not JSON: \($0)") }.get()
        guard let object = json.objectValue, object["version"]?.integerValue == Self.version else {
            throw FleetError(.positions, "its version is not \(Self.version)")
        }
        uplink = try UplinkPositions(object["states"] ?? .null)
        announced = (object["homeAssistant"]?.arrayValue ?? []).compactMap(\.stringValue)
        entities = (object["entities"]?.arrayValue ?? []).compactMap(\.stringValue)
        desired = [:]
        for member in object["desired"]?.objectValue?.members ?? [] {
            guard FleetTopic.isAspect(member.name), let entry = member.value.objectValue,
                desired.count < DesiredStates.nameLimit
            else { throw FleetError(.positions, "the entry of '\(member.name.escaped)' is invalid") }
            let applied = DesiredStates.Applied(
                instance: entry["instance"]?.stringValue, generation: entry["generation"]?.integerValue,
                bus: entry["bus"].flatMap(FleetPosition.init), isForgotten: entry["forgotten"]?.boolValue ?? false)
            for number in [applied.generation, applied.bus?.generation] {
                guard (0...StateMessage.generationLimit).contains(number ?? 0) else {
                    throw FleetError(.positions, "the number \(number ?? 0) of '\(member.name.escaped)' is invalid")
                }
            }
            desired[member.name] = applied
        }
    }

    package var bytes: [UInt8] {
        let names = desired.sorted { $0.key < $1.key }.map { name, applied in
            var entry: JSONObject = [:]
            if let instance = applied.instance { entry["instance"] = .string(instance) }
            if let generation = applied.generation { entry["generation"] = .integer(generation) }
            if let bus = applied.bus { entry["bus"] = bus.json }
            if applied.isForgotten { entry["forgotten"] = true }
            return JSONObject.Member(name: name, value: .object(entry))
        }
        var file: JSONObject = [
            "version": .integer(Self.version), "states": uplink.json, "desired": .object(JSONObject(members: names)),
        ]
        if !announced.isEmpty { file["homeAssistant"] = .array(announced.map { .string($0) }) }
        if !entities.isEmpty { file["entities"] = .array(entities.map { .string($0) }) }
        return JSON.object(file).bytes
    }
}

/// The states of a device that a broker has acknowledged; the bridge keeps these positions in a file.
///
/// An outdated file only causes duplicates, which readers drop.
package struct UplinkPositions: Sendable, Hashable {
    /// The broker and the device as text; positions at another broker are meaningless.
    package var identity: String
    /// The instance of the bus that the generations belong to; empty before the first.
    package var instance: String
    /// The acknowledged generation of each aspect whose state the broker may have; `nil` for a state of another
    /// instance.
    package var generations: [String: Int64?]

    package init(identity: String, instance: String = "", generations: [String: Int64?] = [:]) {
        self.identity = identity
        self.instance = instance
        self.generations = generations
    }

    package init(_ json: JSON) throws(FleetError) {
        guard let object = json.objectValue, let identity = object["identity"]?.stringValue,
            let instance = object["instance"]?.stringValue, let aspects = object["aspects"]?.objectValue
        else { throw FleetError(.positions, "a member is missing or has another type") }
        self.init(identity: identity, instance: instance)
        guard instance.isEmpty || (try? StateMessage.checkedInstance(instance)) != nil else {
            throw FleetError(.positions, "the instance '\(instance.escaped)' is invalid")
        }
        for member in aspects.members {
            let generation = member.value.integerValue
            guard FleetTopic.isAspect(member.name), generation != nil || member.value.isNull,
                (0...StateMessage.generationLimit).contains(generation ?? 0)
            else { throw FleetError(.positions, "the position of '\(member.name.escaped)' is invalid") }
            generations.updateValue(generation, forKey: member.name)
        }
        guard generations.count <= StatusMessage.aspectLimit else {
            throw FleetError(.positions, "there are \(generations.count) aspects")
        }
    }

    package var json: JSON {
        let aspects = generations.sorted { $0.key < $1.key }.map { name, generation in
            JSONObject.Member(name: name, value: generation.map { .integer($0) } ?? .null)
        }
        return [
            "identity": .string(identity), "instance": .string(instance),
            "aspects": .object(JSONObject(members: aspects)),
        ]
    }

    /// The acknowledged generations of the instance, from which a subscription resumes.
    package var resumable: [String: Int64] { generations.compactMapValues { $0 } }
}
