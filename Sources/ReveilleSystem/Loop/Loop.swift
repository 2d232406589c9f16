// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// What a service needs of its thread's loop: descriptors, timers and the time.
///
/// ``EventLoop`` is the kernel's; tests have one whose time and order they choose.
package protocol Loop: AnyObject {
    /// What a loop waits for.
    associatedtype Source: LoopSource

    /// The wall clock, in microseconds since 1970, UTC.
    var wallClock: Int64 { get }

    /// The time since the machine started, in microseconds, the time asleep included; it only goes forward.
    var bootClock: UInt64 { get }

    /// How long the thread has had a processor, in microseconds; being kept from it by others does not count.
    var threadClock: UInt64 { get }

    /// Waits for a descriptor; see ``EventLoop/watch(_:for:priority:handler:)``.
    func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, priority: EventSource.Priority,
        handler: @escaping (EventLoop.Interest) -> Void
    ) throws(SystemError) -> Source

    /// Makes a timer that is not set; see ``EventLoop/timer(priority:handler:)``.
    func timer(priority: EventSource.Priority, handler: @escaping () -> Void) throws(SystemError) -> Source
}

extension Loop {
    /// Waits for a descriptor after what is urgent.
    package func watch(
        _ descriptor: Int32, for interest: EventLoop.Interest, handler: @escaping (EventLoop.Interest) -> Void
    ) throws(SystemError) -> Source {
        try watch(descriptor, for: interest, priority: .normal, handler: handler)
    }

    /// Makes a timer that fires after what is urgent.
    package func timer(handler: @escaping () -> Void) throws(SystemError) -> Source {
        try timer(priority: .normal, handler: handler)
    }
}

/// Something a ``Loop`` waits for; ends when its owner lets go of it.
package protocol LoopSource: AnyObject {
    /// Ends it now, also from inside its own handler.
    func cancel()
    /// Fires a timer once more, after a duration; a timer that is still to fire is moved.
    func fire(after duration: Duration)
    /// Keeps a timer from firing until ``fire(after:)``.
    func disarm()
    /// Says who goes first from now on when several are due.
    func setPriority(_ priority: EventSource.Priority)
    /// Asks for the edges of a descriptor again, so that one that was seen already comes once more.
    func rearm(_ interest: EventLoop.Interest)
}
