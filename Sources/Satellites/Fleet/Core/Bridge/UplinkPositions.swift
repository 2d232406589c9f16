// SPDX-License-Identifier: Apache-2.0

package import Varlink

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
