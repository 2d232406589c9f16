// SPDX-License-Identifier: Apache-2.0

/// A violation of the protocol by a peer, after which the connection must be closed.
///
/// A rejected call is not a violation; it is answered with a ``CallError``.
@nonexhaustive public enum VarlinkError: Error, Sendable, Hashable {
    /// A message exceeds the maximum length in bytes, without its NUL.
    case tooLong(maximum: Int)
    /// A message is not valid JSON, not valid UTF-8, or nested too deeply.
    case json(JSONError)
    /// A message is a JSON value other than an object.
    case notAnObject
    /// A call has no `method`.
    case missingMethod
    /// A message has a member that is neither part of the protocol nor a vendor's extension.
    case unknownMember(String)
    /// A member of a message has a value of the wrong type.
    case wrongType(member: String)
    /// A call has more than one of `oneway`, `more` and `upgrade`.
    case conflictingModes
    /// A reply arrived while no call was pending.
    case unexpectedReply
    /// A reply to a call without `more` announces further replies.
    case unexpectedContinues
    /// An error reply announces further replies.
    case continuingError
}

extension VarlinkError: CustomStringConvertible {
    /// A description of the violation.
    public var description: String {
        switch self {
        case .tooLong(let maximum): "message longer than \(maximum) bytes"
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
