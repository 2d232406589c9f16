// SPDX-License-Identifier: Apache-2.0

extension Aspect {
    /// The time of the bus's own alarm that wakes the machine, if any: `{"at": …}`, in microseconds since 1970.
    package static var alarm: Aspect { "org.reveille.alarm" }
}

/// The requests of a user's bus to the system bus, which wakes the machine for the user's next entry with `wake`.
///
/// One request is under way at a time, and times that change meanwhile are merged. The system bus saves the time, but
/// receives it again after each loss of the connection.
package struct WakeHandover: Sendable {
    package enum Request: Sendable, Hashable {
        /// The machine is to wake at a time, in microseconds since 1970, and at no other.
        case add(Int64)
        case cancel
        /// Asks whether the machine wakes for this user.
        case check
    }

    private enum Told: Equatable {
        case nothing
        case time(Int64)
        case unknown
    }

    /// The name that the entry of a user has on the system bus; `schedule.wake` is the permission to publish it.
    package static func name(of user: UInt32) -> String { "org.reveille.wake.u\(user)" }

    /// The time for which the machine is to wake; `nil` for none.
    package var time: Int64?
    private var told = Told.nothing
    private var isAsked = false
    private var current: Request?

    package init() {}

    /// Asks for the answer of the system bus.
    package mutating func ask() { isAsked = true }

    /// Returns the next request, which is then under way; `nil` for none until another function is called.
    package mutating func next() -> Request? {
        guard current == nil else { return nil }
        current = due
        return current
    }

    /// Whether the system bus is not needed.
    package var isDone: Bool { time == nil && current == nil && due == nil }

    private var due: Request? {
        if isAsked { return .check }
        guard let time else { return told == .nothing ? nil : .cancel }
        return told == .time(time) ? nil : .add(time)
    }

    /// Notes the answer to the request, which may be a refusal: it is repeated for another time or on a new connection.
    ///
    /// - Returns: The request; `nil` if there was none.
    package mutating func answered() -> Request? {
        defer { current = nil }
        switch current {
        case .add(let time): told = .time(time)
        case .cancel: told = .nothing
        case .check: isAsked = false
        case nil: break
        }
        return current
    }

    /// Notes that there is no connection.
    package mutating func lost() {
        if case .add = current { told = .unknown }
        if case .time = told { told = .unknown }
        isAsked = false
        current = nil
    }
}
