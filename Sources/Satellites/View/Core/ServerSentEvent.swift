// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An event of a stream for `EventSource` (HTML, "Server-sent events").
package enum ServerSentEvent {
    /// The time in milliseconds after which a browser reconnects: a restarted program is back by then.
    private static let retry = 1_000

    package static let greeting = Array("retry: \(retry)\n\n".utf8)

    /// Returns the bytes of an event; without a position, the event does not change the position of the page.
    ///
    /// `Varlink` writes JSON without line breaks, which would end the data.
    package static func encode(_ name: String, _ data: JSONObject, at position: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        if let position { bytes += Array("id: \(position)\n".utf8) }
        bytes += Array("event: \(name)\ndata: ".utf8)
        data.write(into: &bytes)
        bytes += Array("\n\n".utf8)
        return bytes
    }
}
