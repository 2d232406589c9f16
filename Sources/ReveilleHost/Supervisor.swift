// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
package import ReveilleSystem

/// The supervisor that started this process, if there is one: sd_notify(3) and sd_listen_fds(3).
package enum Supervisor {
    /// Reports that the service accepts connections, with a status line that the supervisor displays.
    package static func notifyReady(_ status: String) {
        sd_notify(0, "READY=1\nSTATUS=" + status)
    }

    /// Reports a reload until ``notifyReady(_:)``; the time tells requests apart (`Type=notify-reload`).
    package static func notifyReloading() {
        sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(Clocks.monotonic())")
    }

    package static func notifyStopping() {
        sd_notify(0, "STOPPING=1")
    }

    /// Notifies the supervisor's watchdog while the loop is running (sd_watchdog_enabled(3)), until this is released.
    package final class Watchdog {
        private var timer: EventSource?

        package init(on loop: EventLoop) throws(SystemError) {
            var time: UInt64 = 0
            guard sd_watchdog_enabled(0, &time) > 0 else { return }
            // Half of the time, as sd_watchdog_enabled(3) recommends.
            let interval = Duration.microseconds(Int64(clamping: time / 2))
            timer = try loop.timer(priority: .watcher) { [unowned self] in
                sd_notify(0, "WATCHDOG=1")
                timer?.fire(after: interval)
            }
            timer?.fire(after: .zero)
        }
    }

    /// Passes a listening socket to the supervisor, for the next instance (`FDSTORE=1`); false without a supervisor.
    package static func store(_ listener: Int32) -> Bool {
        var number = listener
        return sd_pid_notify_with_fds(0, 0, "FDSTORE=1\nFDNAME=varlink", &number, 1) > 0
    }

    /// A socket passed by the supervisor.
    package enum Handed {
        case listener(Int32)
        /// A socket with a connected peer, as passed by `varlinkctl exec:`.
        case connection(Int32)
    }

    /// Takes the sockets passed for Varlink, of several only those named `varlink`.
    ///
    /// This is possible only once, since the variables are removed.
    package static func takeSockets() throws(SystemError) -> [Handed] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(1, &names)
        defer {
            for index in 0..<Int(max(0, count)) { free(names?[index]) }
            free(names)
        }
        guard count >= 0 else { throw SystemError("sd_listen_fds", code: -count) }
        var sockets: [Handed] = []
        for index in 0..<count {
            let number = SD_LISTEN_FDS_START + index
            let name = names?[Int(index)].map { String(cString: $0) }
            guard count == 1 || name == "varlink" else {
                close(number)
                continue
            }
            guard sd_is_socket_unix(number, Int32(SOCK_STREAM.rawValue), -1, nil, 0) > 0 else {
                throw SystemError("sd_is_socket_unix", on: "descriptor \(number)", code: ENOTSOCK)
            }
            let isListening = sd_is_socket(number, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0
            guard isListening || isConnected(number) else {
                throw SystemError("getpeername", on: "descriptor \(number)", code: ENOTCONN)
            }
            sockets.append(isListening ? .listener(number) : .connection(number))
        }
        return sockets
    }

    private static func isConnected(_ number: Int32) -> Bool {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &size) == 0 }
        }
    }
}
