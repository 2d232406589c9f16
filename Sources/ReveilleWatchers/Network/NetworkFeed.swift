// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// The notifications of changed network tables.
///
/// Loop thread only.
final class NetworkFeed {
    enum Notice {
        case message(NetlinkMessage)
        /// The recording was replaced.
        case recorded
        case lost
        /// There are no more notifications.
        case failed(SystemError)
    }

    /// The most datagrams that are taken before other sources have their turn.
    private static let datagramsPerTurn = 64

    private let handler: (Notice) -> Void
    private var socket: RouteSocket?
    private var directory: DirectoryWatch?
    private var source: EventSource?

    init(loop: EventLoop, source: NetworkSource, handler: @escaping (Notice) -> Void) throws(SystemError) {
        self.handler = handler
        switch source {
        case .kernel:
            let socket = try RouteSocket(isListening: true)
            self.source = try loop.watch(socket.number, for: .readable, priority: .watcher) { [weak self] _ in
                self?.receive()
            }
            self.socket = socket
        case .recording(let path):
            directory = try DirectoryWatch(loop: loop) { [weak self] event in
                if case .entry(_, NetworkSource.fileName, _) = event { self?.handler(.recorded) }
            }
            _ = try directory?.add(path, interest: .entries)
        }
    }

    deinit {
        // Before the descriptor is closed.
        source?.cancel()
    }

    private func receive() {
        for _ in 0..<Self.datagramsPerTurn {
            do throws(SystemError) {
                switch try socket?.receive() {
                case .datagram(let bytes):
                    for message in NetlinkMessage.messages(in: bytes) { handler(.message(message)) }
                case .overflow: handler(.lost)
                case .nothing, nil: return
                }
            } catch {
                source?.cancel()
                return handler(.failed(error))
            }
        }
    }
}
