// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct NetworkRuleTests {
    static func tables(_ entries: [NetworkEntry]) -> NetworkTables {
        var tables = NetworkTables()
        for entry in entries { tables.insert(entry.message) }
        return tables
    }

    static func address(_ text: [UInt8], on link: UInt32 = 2, scope: UInt8 = 0, flags: UInt32 = 0) -> NetworkEntry {
        let family = text.count == 4 ? IPAddress.Family.version4 : IPAddress.Family.version6
        guard let address = IPAddress(family: family, text) else { preconditionFailure("\(text) is not an address") }
        return .address(NetworkAddress(link: link, address: address, scope: scope, flags: flags))
    }

    static func version6(_ last: UInt8, _ first: UInt8 = 0x20) -> [UInt8] {
        [first, 1] + Array(repeating: 0, count: 13) + [last]
    }

    static func reading(_ entries: [NetworkEntry]) -> Network {
        NetworkRule.reading(of: tables(entries)) { NetworkRule.kind(of: $0, deviceType: nil, isWireless: false) }
    }

    static let (eth, wlan) = (NetworkLink(index: 2, name: "eth0"), NetworkLink(index: 3, name: "wlan0"))

    @Test func routeWithTheLowestMetricIsUsed() {
        let routes = [NetworkRoute(metric: 600, links: [3]), NetworkRoute(metric: 100, links: [2])]
        let entries = [.link(Self.eth), .link(Self.wlan)] + routes.map { NetworkEntry.route($0) }
        #expect(Self.reading(entries).interface == "eth0")
        #expect(Self.reading(entries.reversed()).interface == "eth0")
    }

    @Test("of equal metrics, IPv4 is preferred, and a lower metric of IPv6 to both")
    func familiesAreCompared() {
        let six = IPAddress.Family.version6
        let links: [NetworkEntry] = [.link(Self.eth), .link(Self.wlan)]
        let version6 = { (metric: UInt32) in NetworkEntry.route(NetworkRoute(family: six, metric: metric, links: [3])) }
        let version4 = NetworkEntry.route(NetworkRoute(metric: 100, links: [2]))
        #expect(Self.reading(links + [version6(100), version4]).interface == "eth0")
        #expect(Self.reading(links + [version6(99), version4]).interface == "wlan0")
    }

    @Test("a route over a link that is down is not used", arguments: [true, false])
    func linkThatIsDownIsNotUsed(isEnabled: Bool) {
        var down = Self.eth
        down.isEnabled = isEnabled
        down.state = .down
        let routes = [NetworkRoute(metric: 1, links: [2]), NetworkRoute(metric: 2, links: [3])]
        let entries = [.link(down), .link(Self.wlan)] + routes.map { NetworkEntry.route($0) }
        #expect(Self.reading(entries).interface == "wlan0")
        #expect(Self.reading(Array(entries.dropLast())) == .unreachable)
    }

    @Test(
        arguments: [
            (.up, true, true), (.up, false, true), (.unknown, true, true), (.unknown, false, false),
            (.dormant, true, false), (.down, true, false),
        ] as [(NetworkLink.State, Bool, Bool)])
    func linkWithoutAStateNeedsACarrier(state: NetworkLink.State, hasCarrier: Bool, isUp: Bool) {
        var link = Self.eth
        link.state = state
        link.hasCarrier = hasCarrier
        #expect(NetworkRule.isUp(link) == isUp)
    }

    @Test func routeOverSeveralLinksUsesTheFirstThatIsUp() {
        var down = Self.eth
        down.state = .down
        #expect(
            Self.reading([.link(down), .link(Self.wlan), .route(NetworkRoute(metric: 1, links: [9, 2, 3]))]).interface
                == "wlan0")
    }

    @Test("addresses are sorted, and omitted if peers cannot use them for long")
    func addressesAreSelected() {
        let entries: [NetworkEntry] = [
            .link(Self.eth), .route(NetworkRoute(metric: 1, links: [2])),
            Self.address(Self.version6(9)), Self.address(Self.version6(7)), Self.address([192, 0, 2, 200]),
            Self.address([192, 0, 2, 7], flags: 0x81), Self.address([10, 0, 0, 1], on: 3),
            Self.address([169, 254, 1, 1]), Self.address(Self.version6(1, 0xFE), scope: 253),
            Self.address([0xFE, 0xBF] + Array(repeating: 1, count: 14)), Self.address([127, 0, 0, 1], scope: 254),
            Self.address(Self.version6(2), flags: 0x01), Self.address(Self.version6(3), flags: 0x20),
            Self.address(Self.version6(4), flags: 0x40), Self.address(Self.version6(5), flags: 0x08),
        ]
        #expect(Self.reading(entries).addresses == ["192.0.2.7", "192.0.2.200", "2001::7", "2001::9"])
        #expect(Self.reading(entries.reversed()) == Self.reading(entries))
    }

    @Test func hostWithManyAddressesHasAShortReading() {
        let addresses = (0..<255).map { Self.address([192, 0, 2, $0]) }
        let reading = Self.reading([.link(Self.eth), .route(NetworkRoute(metric: 1, links: [2]))] + addresses)
        #expect(reading.addresses.count == NetworkRule.addressLimit)
    }

    @Test(
        arguments: [
            (1, nil, nil, false, .ethernet), (1, nil, "wlan", false, .wifi), (1, nil, nil, true, .wifi),
            (801, nil, nil, false, .wifi), (1, nil, "wwan", false, .cellular), (519, nil, nil, false, .cellular),
            (65_534, "wwan", nil, false, .cellular), (1, "bridge", "bridge", false, .ethernet),
            (1, "tun", nil, false, .other), (65_534, "wireguard", "wireguard", false, .other),
            (512, nil, nil, false, .other),
        ] as [(UInt16, String?, String?, Bool, Network.Kind)])
    func kindFollowsTheDriver(
        hardware: UInt16, driver: String?, deviceType: String?, isWireless: Bool, kind: Network.Kind
    ) {
        var link = Self.eth
        link.hardware = hardware
        link.driver = driver
        #expect(NetworkRule.kind(of: link, deviceType: deviceType, isWireless: isWireless) == kind)
    }
}
