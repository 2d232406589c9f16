// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// An event source of an ``EventLoop``, which is released before its descriptor is closed; loop thread only.
package final class EventSource: LoopSource {
    /// The order of sources that are due at the same time; lower values first.
    package enum Priority: Int64 {
        /// Device and file changes, which a flood of calls must not delay.
        case watcher = -10
        case normal = 0
        /// Connections that are always busy. They wait for connections that are only occasionally busy.
        case flood = 10
        /// What waits until nothing else is due.
        case idle = 20
    }

    var source: OpaquePointer?
    let handler: (UInt32) -> Void

    init(handler: @escaping (UInt32) -> Void) {
        self.handler = handler
    }

    deinit {
        cancel()
    }

    package func cancel() {
        source = sd_event_source_disable_unref(source)
    }

    /// The pointer that libsystemd passes to callbacks; not retained, as there are no callbacks after `deinit`.
    var userdata: UnsafeMutableRawPointer {
        Unmanaged.passUnretained(self).toOpaque()
    }

    static func dispatch(_ userdata: UnsafeMutableRawPointer?, _ events: UInt32 = 0) -> Int32 {
        guard let userdata else { preconditionFailure("callback without an event source") }
        // The strong reference allows the handler to release the last other reference.
        let source = Unmanaged<EventSource>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(source) { source.handler(events) }
        return 0
    }

    func finish(_ result: Int32, _ operation: String, priority: Priority) throws(SystemError) {
        guard result >= 0 else { throw SystemError(operation, code: -result) }
        sd_event_source_set_priority(source, priority.rawValue)
    }

    package func fire(after duration: Duration) {
        let microseconds = EventLoop.microseconds(duration)
        // Relative to now, not to the start of the loop's iteration, which would be too early after a long handler.
        sd_event_source_set_time(source, EventLoop.moment(in: microseconds, from: UInt64(max(0, Clocks.boot()))))
        sd_event_source_set_time_accuracy(source, EventLoop.accuracy(microseconds))
        sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    }

    package func disarm() {
        sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    }

    package func setPriority(_ priority: Priority) {
        sd_event_source_set_priority(source, priority.rawValue)
    }

    package func rearm(_ interest: EventLoop.Interest) {
        sd_event_source_set_io_events(source, interest.rawValue)
    }
}
