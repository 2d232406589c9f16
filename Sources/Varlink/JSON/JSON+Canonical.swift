// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension JSON {
    /// The form that equal values share: two values are equal as JSON exactly if the ``bytes`` of their canonical forms
    /// are equal.
    ///
    /// - Members are sorted by the UTF-8 of their names. Of members with equal names, only the last one remains.
    /// - A number is an integer if it is whole and in the range of `Int64`, whatever its notation: `1`, `1.0` and `1e0`
    ///   are equal, and so are `0` and `-0.0`.
    /// - Strings and names are equal if their Unicode scalars are: a letter with an accent and a letter followed by a
    ///   combining accent differ.
    /// - A member that is `null` differs from an absent one.
    ///
    /// Recurses once per level, as the writer does. The parser limits the depth of what it returns.
    ///
    /// - Complexity: O(n log n) for objects of n members, O(n) and without a copy if the value is canonical already.
    public var canonical: JSON { changedForm ?? self }

    /// The canonical form, or `nil` if the value is canonical.
    fileprivate var changedForm: JSON? {
        switch self {
        case .null, .bool, .integer, .string: nil
        case .number(let value): Int64(exactly: value).map(JSON.integer)
        case .array(let elements): JSON.changedForm(elements).map(JSON.array)
        case .object(let object): object.changedForm.map(JSON.object)
        }
    }

    private static func changedForm(_ elements: [JSON]) -> [JSON]? {
        var result = elements
        var isChanged = false
        for (index, element) in elements.enumerated() {
            guard let element = element.changedForm else { continue }
            result[index] = element
            isChanged = true
        }
        return isChanged ? result : nil
    }
}

extension JSONObject {
    /// The form that equal objects share; see ``JSON/canonical``.
    public var canonical: JSONObject { changedForm ?? self }

    /// The canonical form, or `nil` if the object is canonical.
    fileprivate var changedForm: JSONObject? {
        var result = members
        var isChanged = false
        for (index, member) in members.enumerated() {
            guard let value = member.value.changedForm else { continue }
            result[index].value = value
            isChanged = true
        }
        if !zip(members, members.dropFirst()).allSatisfy({ $0.precedes($1) }) {
            result = JSONObject.sorted(result)
            isChanged = true
        }
        return isChanged ? JSONObject(members: result) : nil
    }

    private static func sorted(_ members: [Member]) -> [Member] {
        var result: [Member] = []
        result.reserveCapacity(members.count)
        // The sort is stable, so the last of the members with equal names replaces the others.
        for member in members.sorted(by: { $0.precedes($1) }) {
            if let last = result.last, !last.precedes(member) { result.removeLast() }
            result.append(member)
        }
        return result
    }
}

extension JSONObject.Member {
    /// Compares bytes, since comparing strings would equate names that differ in their scalars.
    fileprivate func precedes(_ other: JSONObject.Member) -> Bool {
        name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}
