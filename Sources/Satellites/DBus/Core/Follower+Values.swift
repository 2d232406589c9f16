// SPDX-License-Identifier: Apache-2.0

import Varlink

extension PropertyRule {
    /// Returns the value to publish; `nil` for an object that does not count.
    func value(of object: Follower.Object) -> JSONObject? {
        guard object.isKnown, object.interfaces.contains(interface),
            conditions.allSatisfy({ object.values[$0.key]?.boolValue == $0.value })
        else { return nil }
        let values = members.map { member in
            JSONObject.Member(name: member.name, value: member.value(object.values[member.property] ?? .null))
        }
        let oversized = members.filter { object.oversized.contains($0.property) }.map(\.name)
        return Cut.fit(JSONObject(members: values), cutBefore: oversized)
    }

    /// Returns the name of an object; `nil` if it would be too long.
    func name(of path: String, in service: String) -> String? {
        var part = path
        if case .listed(_, let below) = objects { part = ObjectPath.part(of: path, below: below) ?? path }
        return name.name(service: self.service.part(of: service), path: part)
    }
}

extension PropertyRule.Member {
    /// Returns the value that is published: `null` if it has another kind than is expected.
    fileprivate func value(_ value: JSON) -> JSON {
        // The bus would end the connection over a text with too many combining marks in a row.
        guard isExpected(value), !JSON.hasTooManyMarks(value.bytes.span) else { return .null }
        return value.integerValue.flatMap { words[$0] }.map { .string($0) } ?? value
    }

    private func isExpected(_ value: JSON) -> Bool {
        switch kind {
        case nil: true
        case .text: value.stringValue != nil
        case .number: value.numberValue != nil
        case .boolean: value.boolValue != nil
        case .list: value.arrayValue != nil
        case .object: value.objectValue != nil
        }
    }
}

extension Follower.Object {
    /// Takes the listed properties of an interface, all or only those in a signal; `nil` if the interface is gone.
    ///
    /// Returns whether a listed property was among them.
    @discardableResult
    mutating func take(
        _ properties: JSONObject?, of interface: String, for rule: PropertyRule, isWhole: Bool = true
    ) -> Bool {
        if properties != nil { interfaces.insert(interface) } else { interfaces.remove(interface) }
        var isRelevant = false
        for property in rule.properties where property.interface == interface {
            let value = properties?[property.name]
            guard isWhole || value != nil else { continue }
            isRelevant = true
            let isOversized = value.map { $0.bytes.count > Cut.limit } ?? false
            values[property] = isOversized ? nil : value
            if isOversized { oversized.insert(property) } else { oversized.remove(property) }
        }
        return isRelevant
    }
}

/// The limit on the size of a published value: its longest members are `null`, and another member lists them.
enum Cut {
    /// The member with the names of the cut members.
    static let member = "cut"
    /// The most bytes of a value: the default limit of a bus.
    static let limit = 4_096

    /// Returns an object within the limit; some of its members may have been cut before.
    static func fit(_ object: JSONObject, cutBefore: [String]) -> JSONObject {
        var (object, cut) = (object, cutBefore)
        while true {
            var result = object
            if !cut.isEmpty { result[member] = .array(cut.map { .string($0) }) }
            guard JSON.object(result).bytes.count > limit else { return result }
            let longest = object.members.filter { !$0.value.isNull }.max { $0.value.bytes.count < $1.value.bytes.count }
            guard let longest else { return [member: true] }
            object[longest.name] = .null
            cut.append(longest.name)
        }
    }
}
