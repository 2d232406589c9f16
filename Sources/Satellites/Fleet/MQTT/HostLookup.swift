// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// Looks up a host on a thread of its own.
///
/// libmosquitto asks again on the loop, which is quick if this machine keeps the name server's answer.
///
/// It ends when it is released; the thread ends with the answer. Loop thread only.
final class HostLookup {
    /// A family of addresses.
    enum Family: Sendable {
        case ipv4, ipv6

        /// An address of this machine from which only addresses of this family can be reached.
        var origin: String { self == .ipv4 ? "0.0.0.0" : "::" }
        var name: String { self == .ipv4 ? "IPv4" : "IPv6" }
    }

    /// What is known of a host.
    enum Answer: Sendable {
        /// Its families of addresses, the preferred one first.
        case found([Family])
        case problem(String)
    }

    private final class Request: Sendable {
        let host: String
        let pipe: Pipe
        let answer = Lock(Answer.found([]))

        init(_ host: String) throws(SystemError) {
            self.host = host
            pipe = try Pipe()
        }

        func run() {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var addresses: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(host, nil, &hints, &addresses)
            if code == 0 {
                let families = HostLookup.families(of: addresses)
                answer.withLock { $0 = .found(families) }
                freeaddrinfo(addresses)
            } else {
                answer.withLock { $0 = .problem(String(cString: gai_strerror(code))) }
            }
            pipe.wake()
        }
    }

    private let request: Request
    private var source: EventSource?

    /// Starts to look up a host.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - loop: The loop of the completion.
    ///   - completion: Called on the loop with the answer.
    /// - Throws: `SystemError` if there is no thread.
    init(_ host: String, on loop: EventLoop, then completion: @escaping (Answer) -> Void) throws(SystemError) {
        let request = try Request(host)
        self.request = request
        source = try loop.watch(request.pipe.readingEnd, for: .readable) { [weak self] _ in
            self?.source?.cancel()
            completion(request.answer.withLock { $0 })
        }
        try Pthread.start { request.run() }
    }

    deinit {
        // Before the pipe is closed, which another process may have inherited: the kernel would continue to report it.
        source?.cancel()
    }

    private static func families(of addresses: UnsafeMutablePointer<addrinfo>?) -> [Family] {
        var families: [Family] = []
        var next = addresses
        while let address = next?.pointee {
            let family: Family = address.ai_family == AF_INET6 ? .ipv6 : .ipv4
            if !families.contains(family) { families.append(family) }
            next = address.ai_next
        }
        return families
    }

    /// Returns whether a host is an address, which needs no lookup.
    static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }
}
