// SPDX-License-Identifier: Apache-2.0

import Reveille
import ReveilleViewCore

/// The parts of the page: its files, the bus and the history.
struct Site {
    /// The most changes of an aspect that the page draws; an hour usually has fewer.
    static let changeLimit = 500

    let bus: Connector
    let history: History
    /// The fleet; `nil` without `--fleet`.
    let fleet: FleetHub?
}

extension PageFile {
    var content: [UInt8] {
        switch self {
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
