// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a peer did against the protocol.
///
/// There is no way to answer it but to close the connection. A call that is refused is no such
/// error; it is answered with a ``CallError``.
public enum VarlinkError: Error, Sendable, Hashable {
    /// A message longer than allowed.
    case framing(FramingError)
    /// A message that is not JSON, or not UTF-8, or nested too deeply.
    case json(JSONError)
    /// A message that is another JSON value than an object.
    case notAnObject
    /// A call without `method`.
    case missingMethod
    /// A member of a message that the protocol does not know and no vendor has prefixed.
    case unknownMember(String)
    /// A member of a message that has a value of the wrong type.
    case wrongType(member: String)
    /// A call with more than one of `oneway`, `more` and `upgrade`.
    case conflictingModes
    /// A reply while no call waits for one.
    case unexpectedReply
    /// A reply that announces further ones to a call that wants a single one.
    case unexpectedContinues
    /// An error reply that announces further replies.
    case continuingError
}

extension VarlinkError: CustomStringConvertible {
    /// What the peer did wrong, in words.
    public var description: String {
        switch self {
        case .framing(let error): error.description
        case .json(let error): "invalid JSON: \(error)"
        case .notAnObject: "message is not an object"
        case .missingMethod: "call without 'method'"
        case .unknownMember(let name): "unknown member '\(name)'"
        case .wrongType(let member): "member '\(member)' of the wrong type"
        case .conflictingModes: "more than one of 'oneway', 'more' and 'upgrade'"
        case .unexpectedReply: "reply without a call"
        case .unexpectedContinues: "'continues' in reply to a call without 'more'"
        case .continuingError: "'continues' in an error reply"
        }
    }
}
