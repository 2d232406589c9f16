// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleViewCore

/// The connections of browsers: their number, and the time that each has for its request.
///
/// Loop thread only.
final class Connections {
    /// The most connections at a time: browsers open six at most, so there is room for five visible pages.
    static let limit = 32
    /// The number of connections beyond the limit that are refused with a reason.
    ///
    /// Any further connection is closed at once.
    static let refusals = 8
    /// The time in seconds for a request and its response, unless it is a stream.
    static let deadline = 10

    private struct Entry {
        let isExcess: Bool
        var deadline: Int64?
        /// Reports that the browser has closed the connection of a stream.
        var hangUp: EventSource?
    }

    private let loop: EventLoop
    private var entries: [Int32: Entry] = [:]
    private var timer: EventSource?

    init(loop: EventLoop) throws(SystemError) {
        self.loop = loop
        timer = try loop.timer { [weak self] in self?.endOverdue() }
    }

    var isFull: Bool { entries.count >= Self.limit + Self.refusals }

    func add(_ socket: Int32) {
        let deadline = Clocks.boot() + Int64(Self.deadline) * 1_000_000
        entries[socket] = Entry(isExcess: entries.count >= Self.limit, deadline: deadline)
        schedule()
    }

    func remove(_ socket: Int32) {
        entries[socket] = nil
        if entries.isEmpty { timer?.disarm() }
    }

    func isExcess(_ socket: Int32) -> Bool { entries[socket]?.isExcess ?? true }

    /// Exempts the connection of a stream from the deadline, and watches for its end.
    ///
    /// The server does not watch the socket of an idle stream.
    func letLast(_ socket: Int32, onHangUp: @escaping () -> Void) throws(SystemError) {
        entries[socket]?.deadline = nil
        entries[socket]?.hangUp = try loop.watch(socket, for: [.halfClosed, .edge]) { _ in onHangUp() }
    }

    private func endOverdue() {
        let now = Clocks.boot()
        for (socket, entry) in entries {
            guard let deadline = entry.deadline, deadline <= now else { continue }
            // The server notices the end, and closes the connection.
            shutdown(socket, Int32(SHUT_RDWR))
            entries[socket]?.deadline = nil
        }
        schedule()
    }

    private func schedule() {
        guard let next = entries.values.compactMap(\.deadline).min() else { return }
        timer?.fire(after: .microseconds(max(0, next - Clocks.boot())))
    }
}
