// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleSystem
import ReveilleViewCore
import Varlink

/// The parts of the page: its files, the bus and the history.
struct Site {
    /// The most changes of an aspect that the page draws; an hour usually has fewer.
    static let changeLimit = 500

    let bus: Connector
    let history: History
    /// The fleet; `nil` without `--fleet`.
    let fleet: FleetHub?

    /// Returns the response to a request that neither asks the bus nor is a stream.
    func response(to decision: Gate.Decision, gate: Gate) -> Response {
        switch decision {
        case .file(let file): Response(type: file.type, content: content(of: file))
        case .battery(let span): Response(history.chart(of: span, at: Clocks.wall() / 1_000_000))
        // The exchange answers these itself.
        case .stream, .fleet, .changes, .aspects, .subscriptions: Response(.noFleet)
        case .cookie(let page):
            // Keeps the token out of the address bar and the browser's history.
            Response(
                status: 303, headers: [.init("Location", page.rawValue), .init("Set-Cookie", gate.cookie)],
                type: "text/plain; charset=utf-8", content: [])
        }
    }

    private func content(of file: PageFile) -> [UInt8] {
        switch file {
        case .page: PackageResources.page_html
        case .script: PackageResources.view_js
        case .drawing: PageAspects.script + PackageResources.draw_js
        case .style: PackageResources.view_css
        case .icon: PackageResources.icon_svg
        case .fleetPage: PackageResources.fleet_html
        case .fleetScript: PackageResources.fleet_js
        case .fleetStyle: PackageResources.fleet_css
        }
    }
}
