// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleSystem

/// The source of the network tables: the kernel, or a file with its messages.
enum NetworkSource {
    case kernel
    /// A directory with a file of all tables' messages; below a root, the file replaces the kernel's tables.
    case recording(directory: String)

    static let fileName = "rtnetlink"

    /// The largest recording that is read: hundreds of links.
    private static let sizeLimit = 1 << 20
    /// The most attempts to read tables that change while the kernel sends them.
    private static let attempts = 3

    /// The source below a root; `""` is the real one.
    init(root: String) {
        let directory = root + NetworkWatcher.recording
        let file = directory + "/" + Self.fileName
        let isRecorded = !root.isEmpty && FileContents.read(file, limit: 0) != .missing
        self = isRecorded ? .recording(directory: directory) : .kernel
    }

    func read() throws(SystemError) -> NetworkTables {
        switch self {
        case .kernel:
            var tables = NetworkTables()
            for _ in 0..<Self.attempts {
                var isConsistent = true
                tables = try Self.readKernel(&isConsistent)
                if isConsistent { break }
            }
            // The change that made them inconsistent was also announced, so they are read again.
            return tables
        case .recording(let directory):
            let path = directory + "/" + Self.fileName
            var tables = NetworkTables()
            for message in NetlinkMessage.messages(in: try Self.contents(of: path)) { tables.insert(message) }
            return tables
        }
    }

    private static func contents(of path: String) throws(SystemError) -> [UInt8] {
        switch FileContents.read(path, limit: sizeLimit) {
        case .bytes(let bytes): return bytes
        case .missing: return []
        case .notAFile: throw SystemError("read", on: path, code: EINVAL)
        case .tooLarge: throw SystemError("read", on: path, code: EFBIG)
        case .unreadable(let error): throw error
        }
    }

    private static func readKernel(_ isConsistent: inout Bool) throws(SystemError) -> NetworkTables {
        var tables = NetworkTables()
        // A socket of its own, so that answers are not mixed with notifications.
        let socket = try RouteSocket(isListening: false)
        for table in RouteSocket.Table.allCases {
            try socket.request(table)
            while true {
                let received = try socket.receive()
                if case .overflow = received { throw SystemError("list \(table)", on: "rtnetlink", code: ENOBUFS) }
                guard case .datagram(let bytes) = received else { break }
                let messages = NetlinkMessage.messages(in: bytes)
                for message in messages { tables.insert(message) }
                if messages.contains(where: \.isInconsistent) { isConsistent = false }
                // A kernel without IPv6 refuses to list its routes.
                if let code = messages.lazy.compactMap(\.errorNumber).first(where: { $0 != 0 }) {
                    guard table == .routesVersion6 else {
                        throw SystemError("list \(table)", on: "rtnetlink", code: code)
                    }
                    break
                }
                if messages.contains(where: \.isEnd) { break }
            }
        }
        return tables
    }
}

extension NetworkLink {
    /// The kind of the interface, from sysfs too: a wireless interface has the type of Ethernet.
    var kind: Network.Kind {
        let directory = "/sys/class/net/" + name
        let key = "DEVTYPE="
        let properties = SysfsAttribute.read(directory + "/uevent").text?.split(separator: "\n")
        return NetworkRule.kind(
            of: self, deviceType: properties?.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) },
            isWireless: ["phy80211", "wireless"].contains { SysfsAttribute.read(directory + "/" + $0) != .missing })
    }
}

/// The notifications of changed network tables; loop thread only.
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
            self.source = try loop.watch(
                socket.number, for: .readable, priority: .watcher, handler: weakly(self) { feed, _ in feed.receive() })
            self.socket = socket
        case .recording(let path):
            directory = try DirectoryWatch(
                loop: loop,
                handler: weakly(self) { feed, event in
                    if case .entry(_, NetworkSource.fileName, _) = event { feed.handler(.recorded) }
                })
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
