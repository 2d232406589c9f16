// SPDX-License-Identifier: Apache-2.0

/// A file of the page, by its path.
package enum PageFile: String, Sendable, CaseIterable {
    /// The document.
    case page = "/"
    /// The script with the page's behavior.
    case script = "/view.js"
    /// The script with the page's drawings.
    case drawing = "/draw.js"
    /// Its style.
    case style = "/view.css"
    /// Its icon.
    case icon = "/icon.svg"
    /// The document of the page of a fleet.
    case fleetPage = "/fleet"
    /// The script of the fleet page: the stream and the tiles.
    case fleetScript = "/fleet.js"
    /// The fleet page's additional style.
    case fleetStyle = "/fleet.css"

    /// Whether the file is a document, which can be opened with a token in the address.
    package var isPage: Bool { [.page, .fleetPage].contains(self) }

    /// Whether the file belongs to the page of a fleet.
    package var isOfFleet: Bool { [.fleetPage, .fleetScript, .fleetStyle].contains(self) }

    /// The type of the content.
    package var type: String {
        switch self {
        case .page, .fleetPage: "text/html; charset=utf-8"
        case .script, .drawing, .fleetScript: "text/javascript; charset=utf-8"
        case .style, .fleetStyle: "text/css; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }
}
