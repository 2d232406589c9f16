// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import ReveilleSystem
import ReveilleViewCore
import Varlink

struct Response {
    var status: UInt32
    var headers: [PageRequest.Field]
    var content: [UInt8]

    init(status: UInt32 = 200, headers: [PageRequest.Field] = [], type: String, content: [UInt8]) {
        self.status = status
        self.headers = headers + [PageRequest.Field("Content-Type", type)]
        self.content = content
    }

    init(_ object: JSONObject) {
        self.init(type: "application/json", content: JSON.object(object).bytes)
    }

    init(_ refusal: Refusal) {
        self.init(
            status: UInt32(refusal.status),
            headers: refusal.status == 405 ? [PageRequest.Field("Allow", "GET, HEAD")] : [],
            type: "text/plain; charset=utf-8", content: Array((refusal.reason + "\n").utf8))
    }

    func send(on connection: OpaquePointer) -> MHD_Result {
        var content = content
        let response = MHD_create_response_from_buffer(content.count, &content, .RESPMEM_MUST_COPY)
        return Self.queue(response, status: status, headers: headers, on: connection)
    }

    /// Hands a response to the server with the headers of every response.
    static func queue(
        _ response: OpaquePointer?, status: UInt32, headers: [PageRequest.Field], on connection: OpaquePointer
    ) -> MHD_Result {
        guard let response else { return .NO }
        for field in ResponseHeaders.always + headers { MHD_add_response_header(response, field.name, field.value) }
        defer { MHD_destroy_response(response) }
        return MHD_queue_response(connection, status, response)
    }
}

/// The content of a page's stream, written as the page reads; loop thread only.
protocol Feed: AnyObject {
    /// Called when there are bytes to write again.
    var onOutput: () -> Void { get set }
    /// The bytes of the stream that are being written.
    var output: [UInt8] { get }
    /// The number of bytes of the output that have been written.
    var written: Int { get set }

    /// Replaces the output once it has been written; the first call starts the stream.
    func takeNext()

    func close()
}

extension Feed {
    /// Copies the next bytes; returns their number: 0 if there are none, and ``onOutput`` will be called.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if written == output.count { takeNext() }
        let count = min(buffer.count, output.count - written)
        output.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[written..<written + count]))
        }
        written += count
        return count
    }
}

/// A response that lasts: the stream of events of a page.
final class StreamResponse {
    /// The seconds after which a page that does not read is disconnected; it resumes when it connects again.
    private static let patience: UInt32 = 60
    /// The size in bytes of each written part.
    private static let partSize = 4 << 10
    /// The result that ends a stream whose connection is lost, `MHD_CONTENT_READER_END_WITH_ERROR`.
    private static let lost = -2

    private let connection: OpaquePointer
    private let server: WebServer
    private let feed: any Feed
    private var isSuspended = false
    private var isLost = false

    init(_ feed: any Feed, on connection: OpaquePointer, server: WebServer) {
        self.connection = connection
        self.server = server
        self.feed = feed
        feed.onOutput = { [weak self] in self?.proceed() }
    }

    deinit {
        feed.close()
    }

    func send() throws(SystemError) -> MHD_Result {
        try server.connections.letLast(c_reveille_http_socket(connection)) { [weak self] in
            self?.isLost = true
            self?.proceed()
        }
        c_reveille_http_set_timeout(connection, Self.patience)
        // The response owns this object.
        let response = MHD_create_response_from_callback(
            .max, Self.partSize,
            { context, _, buffer, size in
                context.map { Unmanaged<StreamResponse>.fromOpaque($0).takeUnretainedValue().read(buffer, size) } ?? -1
            },
            Unmanaged.passRetained(self).toOpaque(),
            { context in if let context { Unmanaged<StreamResponse>.fromOpaque(context).release() } })
        c_reveille_http_end_with_connection(response)
        let type = PageRequest.Field("Content-Type", "text/event-stream")
        return Response.queue(response, status: 200, headers: [type], on: connection)
    }

    /// Called by libmicrohttpd when all earlier bytes have been written.
    private func read(_ buffer: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int {
        guard !isLost else { return Self.lost }
        let count = feed.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
        if count == 0 {
            isSuspended = true
            MHD_suspend_connection(connection)
        }
        return count
    }

    private func proceed() {
        guard isSuspended else { return }
        isSuspended = false
        server.resume(connection)
    }
}
