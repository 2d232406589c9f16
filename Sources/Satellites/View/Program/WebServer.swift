// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Reveille
import ReveilleLink
import ReveilleSystem
import ReveilleViewCore

/// The HTTP server of the page: libmicrohttpd on an event loop, without threads.
///
/// Loop thread only. The server exists until the process ends.
final class WebServer {
    /// The memory of a connection in bytes, for the headers of its request and of its response.
    private static let memory = 16 << 10
    /// The pause before the next attempt to accept connections when the system lacks descriptors.
    private static let acceptPause: Duration = .seconds(1)

    let loop: EventLoop
    let gate: Gate
    let bus: Connector
    let history: History
    /// `nil` without `--fleet`.
    let fleet: FleetHub?
    let connections: Connections
    private let listener: Listener
    private let log: ViewLog
    private var daemon: OpaquePointer?
    private var sources: [EventSource] = []
    private var timer: EventSource?
    private var retry: EventSource?

    init(
        _ listener: consuming Listener, gate: Gate, bus: Connector, history: History, fleet: FleetHub?,
        loop: EventLoop, log: ViewLog
    ) throws(SystemError) {
        self.listener = listener
        self.loop = loop
        self.gate = gate
        self.bus = bus
        self.history = history
        self.fleet = fleet
        self.log = log
        connections = try Connections(loop: loop)
        // The server survives the callbacks: both end with the process.
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemon = c_reveille_http_start(
            { Exchange.begin($0, target: $1, $2) },
            { Exchange.handle($1, method: $3, bodySize: $6, state: $7) },
            { Exchange.complete($0, $1, state: $2, $3) },
            { WebServer.from($0)?.note($1, $3) }, context, Self.memory, UInt32(Connections.deadline),
            UInt32(Connections.limit + Connections.refusals))
        guard let daemon else { throw SystemError("MHD_start_daemon") }
        timer = try loop.timer { [weak self] in self?.run() }
        retry = try loop.timer { [weak self] in self?.acceptAgain() }
        sources = [
            try loop.watch(c_reveille_http_epoll(daemon), for: .readable) { [weak self] _ in self?.run() }
        ]
        try listen()
    }

    static func from(_ context: UnsafeMutableRawPointer?) -> WebServer? {
        context.map { Unmanaged<WebServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func listen() throws(SystemError) {
        for socket in listener.sockets {
            sources.append(try loop.watch(socket, for: .readable) { [weak self] _ in self?.accept(socket) })
        }
    }

    private func accept(_ socket: Int32) {
        do throws(SystemError) {
            // One at a time, so that a flood of connections does not delay the streams.
            guard let number = try Listener.accept(socket) else { return }
            guard !connections.isFull else {
                close(number)
                let limit = Connections.limit + Connections.refusals
                return log.write(.warning, "more than \(limit) connections; others are closed", about: .connections)
            }
            var address = sockaddr()
            // The address is useless: each connection is from this machine. On failure, the server closes the socket.
            MHD_add_connection(daemon, number, &address, socklen_t(MemoryLayout<sockaddr>.size))
            run()
        } catch {
            log.write(.warning, "connections are not accepted for a moment: \(error)", about: .connections)
            sources.removeLast(listener.sockets.count)
            retry?.fire(after: Self.acceptPause)
        }
    }

    private func acceptAgain() {
        do throws(SystemError) {
            try listen()
        } catch {
            retry?.fire(after: Self.acceptPause)
        }
    }

    /// The epoll descriptor of a server without a listening socket does not report resumed connections.
    func resume(_ connection: OpaquePointer) {
        MHD_resume_connection(connection)
        timer?.fire(after: .zero)
    }

    private func run() {
        MHD_run(daemon)
        var milliseconds: UInt64 = 0
        if MHD_get_timeout(daemon, &milliseconds) == .YES {
            timer?.fire(after: .milliseconds(Int64(clamping: milliseconds)))
        } else {
            timer?.disarm()
        }
    }

    private func note(_ connection: OpaquePointer?, _ event: MHD_ConnectionNotificationCode) {
        guard let connection else { return }
        let socket = c_reveille_http_socket(connection)
        if event == .CONNECTION_NOTIFY_STARTED { connections.add(socket) } else { connections.remove(socket) }
    }
}

extension PageFile {
    var content: [UInt8] {
        switch self {
        case .page: PackageResources.page_html
        case .script: PackageResources.view_js
        case .drawing: PageAspects.script + PackageResources.draw_js
        case .style: PackageResources.view_css
        case .icon: PackageResources.icon_svg
        case .fleetPage: PackageResources.fleet_html
        case .fleetScript: PackageResources.fleet_js
        case .fleetStyle: PackageResources.fleet_css
        }
    }
}
