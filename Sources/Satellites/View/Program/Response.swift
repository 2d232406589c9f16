// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import ReveilleViewCore
import Varlink

/// A response with known content.
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
