// SPDX-License-Identifier: Apache-2.0

package enum NetworkRule {
    /// The largest number of addresses in a reading, so that a host with thousands does not fill the log.
    package static let addressLimit = 32

    /// Returns the link of the default route: the route with the lowest metric among all over links that are up.
    ///
    /// Among routes with equal metrics, IPv4 comes before IPv6, and then the kernel's order decides.
    package static func defaultLink(in tables: NetworkTables) -> NetworkLink? {
        let links = Dictionary(tables.links.map { ($0.index, $0) }) { $1 }
        var best: (route: NetworkRoute, link: NetworkLink)?
        for route in tables.routes {
            guard let link = route.links.lazy.compactMap({ links[$0] }).first(where: isUp) else { continue }
            if let best, (best.route.metric, best.route.family) <= (route.metric, route.family) { continue }
            best = (route, link)
        }
        return best?.link
    }

    /// Returns whether a link passes packets to other machines.
    ///
    /// A driver that reports no state may still report a carrier. A dormant link waits, for example for a login.
    package static func isUp(_ link: NetworkLink) -> Bool {
        guard link.isEnabled, !link.isLoopback else { return false }
        return link.state == .up || link.state == .unknown && link.hasCarrier
    }

    /// Returns the kind of a link; its driver gives the type in sysfs (DEVTYPE), if any.
    package static func kind(of link: NetworkLink, deviceType: String?, isWireless: Bool) -> Network.Kind {
        if deviceType == "wwan" || link.driver == "wwan" || link.hardware == NetworkLink.Hardware.rawIP {
            return .cellular
        }
        if deviceType == "wlan" || isWireless || NetworkLink.Hardware.wireless.contains(link.hardware) { return .wifi }
        // A tunnel may have the type of Ethernet (TAP).
        return link.hardware == NetworkLink.Hardware.ethernet && link.driver != "tun" ? .ethernet : .other
    }

    /// Returns the reading; `kind` returns the kind of the link of the default route.
    package static func reading(of tables: NetworkTables, kind: (NetworkLink) -> Network.Kind) -> Network {
        guard let link = defaultLink(in: tables) else { return .unreachable }
        let addresses = Set(tables.addresses.filter { $0.link == link.index && $0.isLasting }.map(\.address))
        return Network(
            isReachable: true, interface: link.name, kind: kind(link),
            addresses: addresses.sorted().prefix(addressLimit).map(\.description))
    }
}
