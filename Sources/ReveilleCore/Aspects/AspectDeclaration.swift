// SPDX-License-Identifier: Apache-2.0

/// The declaration of an aspect, beside the type of its states: everything that depends on the aspect follows from it.
///
/// ``Record/blank`` is the state that has not been read yet, or has no source.
package protocol AspectDeclaration: Record, Hashable, CustomStringConvertible {
    static var traits: AspectTraits { get }
    /// The field whose value stands for the state; by default the first.
    static var mainField: String? { get }
    /// The end of a message that asks for a JSON object, such as `, or an illuminance in lux`; `nil` for an aspect
    /// whose main field says enough.
    static var abbreviations: String? { get }

    /// Replaces the fields that a word abbreviates; returns whether the word is an abbreviation.
    mutating func abbreviate(_ word: String) -> Bool
}

extension AspectDeclaration {
    package static var mainField: String? { nil }
    package static var abbreviations: String? { nil }
    package mutating func abbreviate(_ word: String) -> Bool { false }
}

/// How the bus and its clients treat an aspect.
package struct AspectTraits: Sendable {
    package enum Sampling: Sendable {
        /// From the start: files announce their changes, and a subscriber that resumes needs every change counted.
        case always
        /// While the aspect has subscribers: reading sensors costs power.
        case onDemand
        /// Never: there is no source. The bus itself knows the state, which differs between subscriptions.
        case never
    }

    package enum Kind: Sendable {
        /// The state of something: an equal reading is not a change.
        case state
        /// An occurrence: every reading counts, even an equal one.
        case tally
        /// A sample: every reading is a change, even an equal one; neither saved nor resumed across a restart.
        case stream
    }

    /// When the sources of the aspect are watched.
    var sampling: Sampling
    var kind = Kind.state
    /// Whether subscribers that name no aspects receive it: not for aspects of later versions, since strict clients
    /// refuse fields that their interface description lacks.
    var isDefault = false
    /// Whether events list the parts that changed, since the whole state is too long to send.
    var isReportedInParts = false
    /// Whether a synthetic state can be posted; otherwise `Post` of the interface lacks its field.
    var isPostable = true
    /// Its place on a page, where the aspects that people look for come first.
    var place: Int
}

/// Makes the state of any aspect.
@usableFromInline
package protocol StateSource: ~Copyable {
    associatedtype Fault: Error
    mutating func state<State: Record>(_: State.Type) throws(Fault) -> State
}

/// Makes the states that have not been read yet.
struct BlankStates: StateSource {
    /// An empty value has no address, and the thread sanitizer would crash at an access.
    private let byte: UInt8 = 0

    func state<State: Record>(_: State.Type) -> State { .blank }
}

/// Makes the state that a word abbreviates, from the current one.
private struct AbbreviatedStates: StateSource {
    struct NotAnAbbreviation: Error {}

    let word: String
    let now: Reading

    func state<State: Record>(_: State.Type) throws(NotAnAbbreviation) -> State {
        var state = (now.state as? State ?? .blank) as? any AspectDeclaration
        guard state?.abbreviate(word) == true, let state = state as? State else { throw NotAnAbbreviation() }
        return state
    }
}

extension BuiltInAspect {
    private static let allTraits = AspectTable { $0.declaration.traits }
    private var traits: AspectTraits { Self.allTraits[self] }

    package var sampling: AspectTraits.Sampling { traits.sampling }
    package var kind: AspectTraits.Kind { traits.kind }
    package var isDefault: Bool { traits.isDefault }
    package var isReportedInParts: Bool { traits.isReportedInParts }
    package var isPostable: Bool { traits.isPostable }
    /// Whether each subscription has a state of its own, and the bus keeps none.
    package var isOfSubscription: Bool { traits.sampling == .never }
    /// Whether it is a state whose source is watched only on demand.
    package var isWatchedOnDemand: Bool { traits.sampling == .onDemand && traits.kind == .state }

    package static let ofDevice = allCases.filter { !$0.isOfSubscription }
    package static let onPage = ofDevice.sorted { $0.traits.place < $1.traits.place }

    private static let allFields = AspectTable { $0.declaration.describe() }

    /// The fields of its state, each followed by the fields of the records in it.
    package var fields: [FieldDescription] { Self.allFields[self] }
    package var mainField: String { declaration.mainField ?? fields.first?.name ?? "" }
    /// The end of a message that asks for a JSON object.
    package var alternatives: String {
        let words = values(of: mainField)?.words ?? []
        if let abbreviations = declaration.abbreviations { return abbreviations }
        guard words.isEmpty else { return ", or \(Suggestion.list(words))" }
        let names = fields.filter { $0.path.count == 1 }.map(\.name)
        return " with the field\(names.count == 1 ? "" : "s") \(Suggestion.list(names, "and"))"
    }

    /// Returns the values that a field, `state` or `packs.level`, accepts; `nil` for an unknown field.
    package func values(of field: String) -> FieldDescription.Values? {
        fields.first { $0.name == field }?.values
    }

    package func abbreviated(_ word: String, after now: Reading) -> Reading? {
        var source = AbbreviatedStates(word: word, now: now)
        return try? Reading(of: self, from: &source)
    }
}

extension AspectDeclaration {
    fileprivate static func describe() -> [FieldDescription] { FieldDescriber(Self.self).fields }
}
