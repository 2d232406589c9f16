// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A file of the page, by its path.
package enum PageFile: String, Sendable, CaseIterable {
    /// The document.
    case page = "/"
    /// Its script: what the page does.
    case script = "/view.js"
    /// Its script: what the page draws.
    case drawing = "/draw.js"
    /// Its style.
    case style = "/view.css"
    /// Its icon.
    case icon = "/icon.svg"

    /// The type of the content.
    package var type: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .script, .drawing: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }
}
