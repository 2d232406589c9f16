// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The ordered members of a JSON object.
///
/// A missing member differs from a member that is `null`; an interface decides whether they mean the same.
/// Two objects are equal if they have the same members in the same order.
public struct JSONObject: Sendable, Hashable {
    /// A member: a name and a value.
    public struct Member: Sendable, Hashable {
        /// The name, with escapes resolved.
        public var name: String
        /// The value.
        public var value: JSON

        /// Creates a member.
        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// All members in their order, including those with equal names.
    public var members: [Member]

    /// Creates an object without members.
    public init() {
        members = []
    }

    /// Creates an object from its members.
    public init(members: [Member]) {
        self.members = members
    }

    /// Whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the last member with a name, or `nil` if there is none.
    ///
    /// Setting a value replaces the existing member in place or appends a new one. Setting `nil` removes every
    /// member with the name. Names are compared as strings: those that differ only in canonically equivalent Unicode
    /// scalars are equal here, unlike in ``JSON/canonical``.
    ///
    /// - Complexity: O(n); objects in messages are small.
    public subscript(name: String) -> JSON? {
        get {
            members.lastIndex { $0.name == name }.map { members[$0].value }
        }
        set {
            guard let newValue else { return members.removeAll { $0.name == name } }
            if let index = members.lastIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append(Member(name: name, value: newValue))
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object whose members keep the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map(Member.init)
    }
}
