// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import BusClient
import CMicroHTTPD
import Glibc
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// A request and its response.
final class Exchange {
    private enum Progress {
        /// The request line has been read: its target.
        case reading([UInt8])
        /// The request was accepted, and is answered when it is complete.
        case accepted(Gate.Decision)
        /// The bus was asked.
        case asking(BusQuery)
        /// The response can be sent.
        case answered(Response)
    }

    private let connection: OpaquePointer
    private let server: WebServer
    private var progress: Progress
    private var isSuspended = false

    private init(_ connection: OpaquePointer, server: WebServer, progress: Progress) {
        self.connection = connection
        self.server = server
        self.progress = progress
    }

    /// Called by libmicrohttpd when the request line has been read; returns the state of the request.
    static func begin(
        _ context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
    ) -> UnsafeMutableRawPointer? {
        guard let server = WebServer.from(context), let connection, let target else { return nil }
        let bytes = Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
        // The query is cut off before libmicrohttpd reads it. Its memory has room for some 200 arguments; with more, the
        // version of Debian 12 holds the connection without an answer.
        c_reveille_http_cut_query(target)
        return Unmanaged.passRetained(Exchange(connection, server: server, progress: .reading(bytes))).toOpaque()
    }

    /// The handler of libmicrohttpd, which is called with the headers, with each part of a body, at the end of the
    /// request, and after a pause.
    static func handle(
        _ connection: OpaquePointer?, method: UnsafePointer<CChar>?, bodySize: UnsafeMutablePointer<Int>?,
        state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let connection, let method, let state = state?.pointee else { return .NO }
        let exchange = Unmanaged<Exchange>.fromOpaque(state).takeUnretainedValue()
        guard case .reading(let target) = exchange.progress else {
            // A body is refused with the headers. What arrives before the connection is closed is ignored.
            bodySize?.pointee = 0
            return exchange.proceed()
        }
        let server = exchange.server
        do throws(Refusal) {
            guard !server.connections.isExcess(c_reveille_http_socket(connection)) else {
                throw .full(Connections.limit)
            }
            let request = PageRequest(connection, method: String(cString: method), target: target)
            exchange.progress = .accepted(try server.gate.decide(request))
            return .YES
        } catch {
            return Response(error).send(on: connection)
        }
    }

    /// Called by libmicrohttpd when the request has ended, with or without a response.
    static func complete(
        _: UnsafeMutableRawPointer?, _: OpaquePointer?,
        state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
    ) {
        guard let exchange = state?.pointee else { return }
        Unmanaged<Exchange>.fromOpaque(exchange).release()
        state?.pointee = nil
    }

    deinit {
        if case .asking(let query) = progress { query.cancel() }
    }

    private func proceed() -> MHD_Result {
        switch progress {
        case .reading, .asking: return .YES
        case .answered(let response): return response.send(on: connection)
        case .accepted(.stream(let position)): return send(EventFeed(on: server.site.bus, from: position))
        case .accepted(.fleet(let position)):
            guard let fleet = server.site.fleet else { return Response(.noFleet).send(on: connection) }
            return send(FleetFeed(fleet, from: position))
        case .accepted(.changes(let aspect)):
            ask(BusRoute.call("GetHistory", ["aspect": .string(aspect), "limit": .integer(Site.changeLimit)]))
        case .accepted(.aspects): ask(BusRoute.call("DescribeAspects"))
        case .accepted(.subscriptions): ask(BusRoute.call("ListSubscriptions"))
        case .accepted(let decision): progress = .answered(server.site.response(to: decision, gate: server.gate))
        }
        if case .answered(let response) = progress { return response.send(on: connection) }
        isSuspended = true
        MHD_suspend_connection(connection)
        return .YES
    }

    private func send(_ feed: any Feed) -> MHD_Result {
        StreamResponse(feed, on: connection, server: server).send()
    }

    private func ask(_ call: Call) {
        do throws(Refusal) {
            let query = try BusQuery(call, on: server.site.bus) { [weak self] in self?.finish($0) }
            // A connection that fails at once has an answer already.
            if case .accepted = progress { progress = .asking(query) }
        } catch {
            progress = .answered(Response(error))
        }
    }

    private func finish(_ result: Result<JSONObject, Refusal>) {
        switch result {
        case .success(let parameters): progress = .answered(Response(parameters))
        case .failure(let refusal): progress = .answered(Response(refusal))
        }
        if isSuspended { server.resume(connection) }
        isSuspended = false
    }
}

extension PageRequest {
    /// Creates a request from a connection whose headers have been read.
    init(_ connection: OpaquePointer, method: String, target: [UInt8]) {
        var headers: [Field] = []
        withUnsafeMutablePointer(to: &headers) { pointer in
            _ = MHD_get_connection_values_n(
                connection, .HEADER_KIND,
                { context, _, name, nameSize, value, valueSize in
                    func text(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> String {
                        String(
                            decoding: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count),
                            as: UTF8.self)
                    }
                    context?.assumingMemoryBound(to: [Field].self).pointee
                        .append(Field(text(name, nameSize), text(value, valueSize)))
                    return .YES
                }, pointer)
        }
        self.init(
            method: method, target: target, headers: headers, headerSize: c_reveille_http_header_size(connection))
    }
}
