// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
import ReveilleSystem

/// Lets a loop process the messages of a D-Bus connection (sd_bus_get_events(3)).
final class DBusPump {
    private let bus: OpaquePointer
    private let loop: EventLoop
    private var timer: EventSource?
    /// The time of the next timeout by the monotonic clock; the maximum is never.
    private var timeout = UInt64.max
    private var watch: Watch?
    private var turnEnd: TurnEnds.Registration?
    /// Called when messages cannot be processed, such as an invalid one; the connection is closed then.
    var failed: () -> Void = {}

    /// A copy of the connection's descriptor, which libsystemd closes when the connection has ended.
    private final class Watch {
        private let descriptor: OwnedDescriptor
        private(set) var source: EventSource?
        var events: Int32 = 0

        init(_ number: Int32, on loop: EventLoop, handler: @escaping () -> Void) throws(SystemError) {
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw SystemError("fcntl") }
            descriptor = OwnedDescriptor(copy)
            source = try loop.watch(copy, for: []) { _ in handler() }
        }

        deinit {
            source?.cancel()
        }
    }

    init(_ bus: OpaquePointer, loop: EventLoop) throws(SystemError) {
        self.bus = bus
        self.loop = loop
        timer = try loop.timer { [unowned self] in
            timeout = .max
            process()
        }
        turnEnd = loop.endTurn.register { [weak self] in self?.prepare() }
        prepare()
    }

    /// Processes one message, so that others on the loop have their turns.
    private func process() {
        // While it connects, libsystemd may replace the descriptor.
        if sd_bus_is_ready(bus) <= 0 { watch = nil }
        // While a lost connection is closing, its calls are answered with an error. This is another failure.
        guard sd_bus_process(bus, nil) < 0 else { return }
        sd_bus_close(bus)
        failed()
    }

    /// Waits for the conditions that libsystemd asks for, which each use of the connection may change.
    private func prepare() {
        let events = sd_bus_get_events(bus)
        if events < 0 { watch = nil } else { follow(events) }
        var next = UInt64.max
        if sd_bus_get_timeout(bus, &next) < 0 { next = .max }
        guard next != timeout else { return }
        timeout = next
        guard next != .max else { return timer?.disarm() ?? () }
        let now = UInt64(max(0, Clocks.monotonic()))
        timer?.fire(after: .microseconds(next > now ? Int64(clamping: next - now) : 0))
    }

    private func follow(_ events: Int32) {
        if watch == nil { watch = try? Watch(sd_bus_get_fd(bus), on: loop) { [unowned self] in process() } }
        guard let watch, watch.events != events else { return }
        watch.events = events
        watch.source?.rearm(EventLoop.Interest(rawValue: UInt32(events)))
    }
}
