// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import CSystemd

/// Something an ``EventLoop`` waits for; ends when its owner lets go of it.
///
/// Loop thread only. A descriptor's source must go before the descriptor is closed.
package final class EventSource: LoopSource {
    /// When an event is handled, among several that are due at once: the lower number first.
    package enum Priority: Int64 {
        /// Device and file changes: no flood of calls may delay them.
        case watcher = -10
        /// Everything else.
        case normal = 0
        /// Connections that always have more to say: they wait for all that say something now and then.
        case flood = 10
    }

    var source: OpaquePointer?
    let handler: (UInt32) -> Void

    init(handler: @escaping (UInt32) -> Void) {
        self.handler = handler
    }

    deinit {
        cancel()
    }

    /// Ends it now, also from inside its own handler.
    package func cancel() {
        source = sd_event_source_disable_unref(source)
    }

    /// The pointer that libsystemd hands back to a callback.
    ///
    /// It does not keep the source alive: no callback comes once `deinit` has run.
    var userdata: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    static func dispatch(_ userdata: UnsafeMutableRawPointer?, _ events: UInt32 = 0) -> Int32 {
        guard let userdata else { preconditionFailure("a source without its owner") }
        // The strong reference lets a handler drop the last other one.
        let source = Unmanaged<EventSource>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(source) { source.handler(events) }
        return 0
    }

    func finish(_ result: Int32, _ operation: String, priority: Priority) throws(SystemError) {
        guard result >= 0 else { throw SystemError(operation, code: -result) }
        sd_event_source_set_priority(source, priority.rawValue)
    }

    /// Fires a timer once more, after a duration; a timer that is still to fire is moved.
    package func fire(after duration: Duration) {
        let microseconds = EventLoop.microseconds(duration)
        // From now on, not from the start of this turn of the loop: that would be too early after a long handler.
        sd_event_source_set_time(source, EventLoop.moment(in: microseconds, from: UInt64(max(0, Clocks.boot()))))
        sd_event_source_set_time_accuracy(source, EventLoop.accuracy(microseconds))
        sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    }

    /// Keeps a timer from firing until ``fire(after:)``.
    package func disarm() {
        sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    }

    package func setPriority(_ priority: Priority) {
        sd_event_source_set_priority(source, priority.rawValue)
    }

    /// Asks for the edges of a descriptor again, so that one that was seen already comes once more.
    package func rearm(_ interest: EventLoop.Interest) {
        sd_event_source_set_io_events(source, interest.rawValue)
    }
}
