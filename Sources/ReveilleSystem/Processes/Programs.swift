// SPDX-License-Identifier: Apache-2.0

/// The processes of a bus's subscribers, which the bus follows, freezes and ends; loop thread only.
package protocol Programs: AnyObject {
    /// Throws if the process has ended or is not visible, or if descriptors have run out.
    func process(behind stream: any ByteStream) throws(SystemError) -> any FollowedProcess

    /// Returns the cgroup to freeze in order to suspend a process: its path, as in `/proc/PID/cgroup`.
    ///
    /// A cgroup with processes other than the subscribers' is refused, unless it is the unit or scope of one program.
    ///
    /// - Throws: ``CannotFreeze`` if no such cgroup may be frozen, for example because it contains the bus itself.
    func cgroup(
        suspending process: any FollowedProcess, subscribers: Set<Int32>
    ) throws(CannotFreeze) -> String

    /// Freezes a cgroup that ``cgroup(suspending:subscribers:)`` returned.
    ///
    /// `completion` is called once on the loop, after this returns, when all processes are frozen, or with the reason why
    /// they are not. The cgroup may be frozen later all the same, for instance by a service manager that answers late;
    /// the bus thaws it then.
    func freeze(_ cgroup: String, then completion: @escaping (CannotFreeze?) -> Void)

    /// Thaws a cgroup, like ``freeze(_:then:)``; an absent or unfrozen cgroup counts as thawed.
    func thaw(_ cgroup: String, then completion: @escaping (CannotFreeze?) -> Void)

    /// Thaws cgroups before the bus ends, without a loop, in a second or two; returns those that may still be frozen.
    func thawBeforeEnd(_ cgroups: [String]) -> [String]
}

/// A process that cannot be confused with another process of the same ID.
package protocol FollowedProcess: AnyObject {
    /// The process ID as seen by this process; 0 in another PID namespace.
    var pid: Int32 { get }
    /// The user of the process when it connected; the process may have changed its user since, as with sudo.
    var user: UInt32 { get }
    /// The descriptor, borrowed for the lifetime of the object, which becomes readable when the process ends.
    var number: Int32 { get }
    /// Whether the process has ended; until then, no other process has its ID.
    var hasEnded: Bool { get }
    /// The path of the process's cgroup as seen by this process, or `nil` if it has ended or the path is unknown.
    var cgroup: String? { get }
    /// Asks the process to end, by SIGTERM; throws `ESRCH` if it has ended.
    func terminate() throws(SystemError)
}

/// The reason why a program cannot be frozen or thawed.
package struct CannotFreeze: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text for a person: the action, its object, and the reason of the failure.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    package var description: String { reason }
}
