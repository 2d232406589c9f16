// SPDX-License-Identifier: Apache-2.0

/// Something that a device and its bus may be able to do: report an aspect, or another ability such as ``suspend``.
public struct Capability: Sendable, Hashable, CustomStringConvertible {
    /// The name on the wire and on the command line.
    public let name: String

    /// Creates the capability with a name, which the bus may not know.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates the capability to report an aspect.
    public init(_ aspect: Aspect) {
        name = aspect.name
    }

    private init(_ word: Word) {
        name = word.rawValue
    }

    /// The capabilities that are not aspects.
    package enum Word: String, Sendable, CaseIterable {
        case multitasking, suspend, launch, publish, wake
    }

    /// Programs continue to run in the background: always yes, as on every Linux system.
    ///
    /// The counterpart of UIDevice's `isMultitaskingSupported`, for programs that are ported. To learn whether a
    /// program in the background can be stopped, check ``suspend``.
    public static let multitasking = Capability(.multitasking as Word)
    /// The bus can suspend programs.
    public static let suspend = Capability(.suspend as Word)
    /// The bus can start programs.
    public static let launch = Capability(.launch as Word)
    /// This user can publish states.
    public static let publish = Capability(.publish as Word)
    /// The machine wakes from its sleep for this user's entries on the schedule.
    public static let wake = Capability(.wake as Word)

    /// The name.
    public var description: String { name }
}

/// Whether a device and its bus have a ``Capability``.
@nonexhaustive public enum CapabilityAnswer: Sendable, Hashable {
    /// They have it.
    case yes
    /// They do not have it, for a reason in words for people.
    case no(String)
    /// The bus does not know the capability, or is of an earlier version without this question.
    case unknown
}

extension CapabilityAnswer: CustomStringConvertible {
    /// The answer, such as `no: there is no proximity sensor`.
    public var description: String {
        switch self {
        case .yes: "yes"
        case .no(let reason): "no: \(reason)"
        case .unknown: "unknown"
        }
    }
}
