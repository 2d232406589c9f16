// SPDX-License-Identifier: Apache-2.0

/// The ordered members of a JSON object.
///
/// A missing member differs from a member that is `null`; an interface decides whether they mean the same.
/// Two objects are equal if they have the same members in the same order. A parsed object keeps the text that it was
/// parsed from.
public struct JSONObject: Sendable {
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

    private enum Form: Sendable {
        case members([Member])
        /// An object in a text, whose members are created when they are read.
        case parsed(JSONText, at: Int)
    }

    private var form: Form

    /// Creates an object without members.
    public init() {
        form = .members([])
    }

    /// Creates an object from its members.
    public init(members: [Member]) {
        form = .members(members)
    }

    init(_ text: JSONText, at index: Int) {
        form = .parsed(text, at: index)
    }

    /// All members in their order, including those with equal names.
    ///
    /// - Complexity: O(n) for a parsed object, each time.
    public var members: [Member] {
        get {
            switch form {
            case .members(let members): members
            case .parsed(let text, let index): text.members(of: index)
            }
        }
        _modify {
            var members = members
            form = .members([])
            defer { form = .members(members) }
            yield &members
        }
    }

    /// The object as a part of a text.
    package var text: (JSONText, index: Int) {
        switch form {
        case .members(let members): (JSONText(members), 0)
        case .parsed(let text, let index): (text, index)
        }
    }

    /// The object as a part of the text that it was parsed from; `nil` if it was not parsed.
    var parsed: (JSONText, index: Int)? {
        if case .parsed(let text, let index) = form { (text, index) } else { nil }
    }

    @inline(__always)
    func withText<Result>(_ body: (JSONText, Int) -> Result) -> Result {
        switch form {
        case .members(let members): body(JSONText(members), 0)
        case .parsed(let text, let index): body(text, index)
        }
    }

    /// Returns whether arrays and objects are nested more deeply than a limit, with the object itself as the first level.
    package func isDeeper(than limit: Int) -> Bool {
        withText { $0.isDeeper($1, than: limit) }
    }

    /// Whether the object has no members.
    public var isEmpty: Bool {
        switch form {
        case .members(let members): members.isEmpty
        case .parsed(let text, let index): text.end(of: index) == index + 1
        }
    }

    /// The value of the last member with a name, or `nil` if there is none.
    ///
    /// Setting a value replaces the existing member in place or appends a new one. Setting `nil` removes every
    /// member with the name. Names are equal if their Unicode scalars are.
    ///
    /// - Complexity: O(n); objects in messages are small.
    public subscript(name: String) -> JSON? {
        get {
            switch form {
            case .members(let members): members.lastIndex { $0.isNamed(name) }.map { members[$0].value }
            case .parsed(let text, let index): text.member(name, of: index).map(text.value(at:))
            }
        }
        set {
            guard let newValue else { return members.removeAll { $0.isNamed(name) } }
            if let index = members.lastIndex(where: { $0.isNamed(name) }) {
                members[index].value = newValue
            } else {
                members.append(Member(name: name, value: newValue))
            }
        }
    }
}

extension JSONObject: Hashable {
    /// Returns whether two objects have the same members in the same order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.members == other.members
    }

    /// Adds the members to a hash.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}

extension JSONObject.Member {
    /// Compares bytes, since comparing strings would equate names that differ in their scalars.
    fileprivate func isNamed(_ name: String) -> Bool {
        self.name.utf8.count == name.utf8.count && self.name.utf8.elementsEqual(name.utf8)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object whose members keep the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        form = .members(elements.map(Member.init))
    }
}
