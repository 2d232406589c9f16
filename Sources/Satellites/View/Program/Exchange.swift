// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Reveille
import ReveilleFleetCore
import ReveilleLink
import ReveilleSystem
import ReveilleViewCore
import ReveilleWire
import Varlink

final class Exchange {
    /// Shorter than ``Connections/deadline``, so that the page receives the reason for a failure.
    private static let patience: Duration = .seconds(5)
    /// The most changes of an aspect that the page draws; an hour usually has fewer.
    private static let changeLimit = 500

    private enum Progress {
        /// The request line has been read: its target.
        case reading([UInt8])
        /// The request was accepted; the answer follows when the request is complete.
        case accepted(Gate.Decision)
        case asking(BusLink)
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
        // Cut off before libmicrohttpd reads the query: its memory has room for some 200 arguments, and with more, the
        // version of Debian 12 holds the connection without an answer.
        c_reveille_http_cut_query(target)
        return Unmanaged.passRetained(Exchange(connection, server: server, progress: .reading(bytes))).toOpaque()
    }

    /// The handler of libmicrohttpd, called with the headers, with each part of a body, at the end of the request, and
    /// after a pause.
    static func handle(
        _ connection: OpaquePointer?, method: UnsafePointer<CChar>?, bodySize: UnsafeMutablePointer<Int>?,
        state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let connection, let method, let state = state?.pointee else { return .NO }
        let exchange = Unmanaged<Exchange>.fromOpaque(state).takeUnretainedValue()
        guard case .reading(let target) = exchange.progress else {
            // A body is refused with the headers, and bytes that still arrive are ignored.
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
        if case .asking(let bus) = progress { bus.close() }
    }

    private func proceed() -> MHD_Result {
        switch progress {
        case .reading, .asking: return .YES
        case .answered(let response): return response.send(on: connection)
        case .accepted(.stream(let position)): return send(try EventFeed(on: server.bus, from: position))
        case .accepted(.fleet(let position)):
            guard let fleet = server.fleet else { return Response(.noFleet).send(on: connection) }
            return send(FleetFeed(fleet, from: position))
        case .accepted(.device(let device)):
            let tile = server.fleet?.board.tiles[device]
            progress = .answered(tile.map { Response(["states": $0.statesJSON]) } ?? Response(.noDevice(device.text)))
        case .accepted(.changes(let aspect)):
            ask(GetHistory(aspect, limit: Self.changeLimit))
        case .accepted(.aspects): ask(DescribeAspects())
        case .accepted(.subscriptions): ask(ListSubscriptions())
        case .accepted(.file(let file)): progress = .answered(Response(type: file.type, content: file.content))
        case .accepted(.battery(let span)):
            progress = .answered(Response(server.history.chart(of: span, at: Clocks.wall() / 1_000_000)))
        case .accepted(.cookie(let page)):
            // Keeps the token out of the address bar and the browser's history.
            let headers: [PageRequest.Field] = [
                .init("Location", page.rawValue), .init("Set-Cookie", server.gate.cookie),
            ]
            progress = .answered(
                Response(status: 303, headers: headers, type: "text/plain; charset=utf-8", content: []))
        }
        if case .answered(let response) = progress { return response.send(on: connection) }
        isSuspended = true
        MHD_suspend_connection(connection)
        return .YES
    }

    private func send(_ feed: @autoclosure () throws(SystemError) -> any Feed) -> MHD_Result {
        do throws(SystemError) {
            return try StreamResponse(feed(), on: connection, server: server).send()
        } catch {
            return Response(Refusal(status: 503, reason: "The system lacks resources: \(error)")).send(on: connection)
        }
    }

    private func ask(_ method: some BusMethod) {
        let call = Call(method)
        var connector = server.bus
        connector.patience.answer = Self.patience
        do throws(SystemError) {
            let bus = try BusLink(connector)
            progress = .asking(bus)
            bus.call(call) { [weak self] in self?.finish($0.mapError { ReveilleError($0) }, of: call) }
        } catch {
            finish(.failure(ReveilleError(LinkFailure.unreachable(error))), of: call)
        }
    }

    private func finish(_ result: Result<Reply, ReveilleError>, of call: Call) {
        if case .asking(let bus) = progress { bus.close() }
        progress = .answered(Response(result, to: call))
        if isSuspended { server.resume(connection) }
        isSuspended = false
    }
}

extension Response {
    fileprivate init(_ result: Result<Reply, ReveilleError>, to call: Call) {
        switch result {
        case .success(let reply):
            if let error = CallError(reply) {
                self.init(.bus("The bus refused \(call.member): \(error)"))
            } else {
                self.init(reply.parameters)
            }
        case .failure(let error):
            let isLate = error.code == .timeout
            self.init(
                .bus(isLate ? "The bus did not answer \(call.member) in time." : "\(call.member): \(error)"))
        }
    }
}

extension PageRequest {
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
