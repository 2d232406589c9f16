// SPDX-License-Identifier: Apache-2.0

/// The headers that limit what a browser may do with responses.
package enum ResponseHeaders {
    /// The headers of every response, whether it accepts or refuses.
    package static let always: [PageRequest.Field] = [
        .init(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        .init("X-Content-Type-Options", "nosniff"),
        .init("Referrer-Policy", "no-referrer"),
        .init("Cache-Control", "no-store"),
        .init("Cross-Origin-Resource-Policy", "same-origin"),
        .init("Cross-Origin-Opener-Policy", "same-origin"),
        // One request a connection, so that the limit of connections also limits the page's concurrent work.
        .init("Connection", "close"),
    ]
}
