// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem

/// Looks up a host on a thread of its own, so that the name server's answer is known when libmosquitto asks on the loop.
///
/// It ends when it is released; the thread ends with the answer. Loop thread only.
final class HostLookup {
    private final class Request: Sendable {
        let host: String
        let pipe: Pipe
        let result = Lock<Int32>(0)

        init(_ host: String) throws(SystemError) {
            self.host = host
            pipe = try Pipe()
        }

        func run() {
            var addresses: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(host, nil, nil, &addresses)
            if code == 0 { freeaddrinfo(addresses) }
            result.withLock { $0 = code }
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
    ///   - completion: Called on the loop with the problem, or `nil` if the host is known.
    /// - Throws: `SystemError` if there is no thread.
    init(_ host: String, on loop: EventLoop, then completion: @escaping (String?) -> Void) throws(SystemError) {
        let request = try Request(host)
        self.request = request
        source = try loop.watch(request.pipe.readingEnd, for: .readable) { [weak self] _ in
            self?.source = nil
            let code = request.result.withLock { $0 }
            completion(code == 0 ? nil : String(cString: gai_strerror(code)))
        }
        try Pthread.start { request.run() }
    }

    /// Returns whether a host is an address, which needs no lookup.
    static func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }
}
