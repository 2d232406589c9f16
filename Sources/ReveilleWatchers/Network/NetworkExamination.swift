// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

enum NetworkExamination {
    /// The most links that are listed: a host of containers has hundreds.
    private static let linkLimit = 8

    static func source(of tables: NetworkTables) -> SourceDescription {
        let links = tables.links.filter { !$0.isLoopback }
        guard !links.isEmpty else { return .unavailable("no network interface") }
        let names = links.prefix(linkLimit).map(\.name).joined(separator: ", ")
        return .available(links.count > linkLimit ? "\(names) and \(links.count - linkLimit) more" : names)
    }

    static func examine(_ tables: NetworkTables) -> Examination {
        var examination = Examination()
        let links = tables.links.filter { !$0.isLoopback }
        for link in links.prefix(linkLimit) {
            let addresses = tables.addresses.filter { $0.link == link.index && $0.isLasting }.map(\.address).sorted()
            let words = ["\(link.kind)", state(of: link)] + addresses.map(\.description)
            examination.add(link.name, words.prefix(2 + NetworkRule.addressLimit).joined(separator: ", "))
        }
        for route in tables.routes.prefix(linkLimit) {
            let names = route.links.map { index in links.first { $0.index == index }?.name ?? "another link" }
            let family = route.family == IPAddress.Family.version6 ? "IPv6" : "IPv4"
            examination.add("default route", "\(names.joined(separator: ", ")), \(family), metric \(route.metric)")
        }
        let reading = NetworkRule.reading(of: tables) { $0.kind }
        examination.add("reading", "\(reading)")
        if tables.routes.isEmpty {
            examination.advice.append("connect to a network with a gateway, which sets a default route")
        } else if !reading.isReachable {
            examination.advice.append("the link of the default route is down: check the cable or the wireless network")
        }
        return examination
    }

    private static func state(of link: NetworkLink) -> String {
        if NetworkRule.isUp(link) { return "up" }
        guard link.isEnabled else { return "disabled" }
        return link.state == .dormant ? "waits for a login (802.1X)" : "down"
    }
}
