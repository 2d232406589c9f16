// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// An event of a stream for `EventSource` (HTML, "Server-sent events").
package enum ServerSentEvent {
    /// The time in milliseconds after which a browser reconnects: a restarted program is back by then.
    private static let retry = 1_000

    /// The first bytes of each stream.
    package static let greeting = Array("retry: \(retry)\n\n".utf8)

    /// Returns the bytes of an event.
    ///
    /// `Varlink` writes JSON without line breaks, which would end the data.
    ///
    /// - Parameters:
    ///   - name: The type of the event, a word.
    ///   - data: The data.
    ///   - position: The page's position after this event, as text; `nil` if the event does not change the position.
    /// - Returns: The bytes, in UTF-8.
    package static func encode(_ name: String, _ data: JSONObject, at position: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        if let position { bytes += Array("id: \(position)\n".utf8) }
        bytes += Array("event: \(name)\ndata: ".utf8)
        data.write(into: &bytes)
        bytes += Array("\n\n".utf8)
        return bytes
    }
}
