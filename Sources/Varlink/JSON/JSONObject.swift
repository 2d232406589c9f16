// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// The members of a JSON object in their order.
///
/// A member that is missing and one that is `null` are different here; whether they mean the same
/// is for an interface to say. Two objects are equal when they have the same members in the same
/// order.
public struct JSONObject: Sendable, Hashable {
    /// One name with its value.
    public struct Member: Sendable, Hashable {
        /// The name, without escapes.
        public var name: String
        /// The value.
        public var value: JSON

        /// Makes a member.
        public init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// All members as they were written, those of equal names too.
    public var members: [Member]

    /// Makes an object without members.
    public init() {
        members = []
    }

    /// Makes an object of its members.
    public init(members: [Member]) {
        self.members = members
    }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of the last member of a name; `nil` when there is none.
    ///
    /// Setting a value replaces it in its place or appends a member. Setting `nil` removes every
    /// member of the name.
    ///
    /// - Complexity: O(n); objects in messages are small.
    public subscript(name: String) -> JSON? {
        get {
            members.last { $0.name == name }?.value
        }
        set {
            if let newValue {
                if let index = members.lastIndex(where: { $0.name == name }) {
                    members[index].value = newValue
                } else {
                    members.append(Member(name: name, value: newValue))
                }
            } else {
                members.removeAll { $0.name == name }
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object whose members keep the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map(Member.init)
    }
}
