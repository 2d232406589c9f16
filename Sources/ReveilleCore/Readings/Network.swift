// SPDX-License-Identifier: Apache-2.0

/// The default route to the network.
public struct Network: Sendable, Hashable, Codable {
    /// The kind of a network interface.
    @nonexhaustive public enum Kind: String, Sendable, CaseIterable, Codable, CustomStringConvertible {
        /// A cable, or an interface that behaves like one, such as a bridge.
        case ethernet
        /// A wireless network.
        case wifi
        /// A modem of a cellular network.
        case cellular
        /// Any other interface, such as a tunnel.
        case other

        /// The name on the wire.
        public var description: String { rawValue }
    }

    /// Whether there is a default route over an interface that is up.
    public var isReachable: Bool
    /// The kernel's name of the interface; `nil` without a default route.
    public var interface: String?
    /// The kind of the interface; `nil` without a default route, and for a kind that a later version adds.
    public var kind: Kind?
    /// The lasting addresses of the interface that peers in other networks can use: `["192.0.2.7", "2001:db8::7"]`.
    ///
    /// At most 32, without prefix length or zone, IPv4 before IPv6, each in ascending order, and IPv6 in the form of
    /// RFC 5952. Empty without a default route, and before the interface has an address. Link-local, temporary (RFC
    /// 8981), deprecated, tentative and duplicate addresses are left out, so that the daily change of a temporary
    /// address is not an event. A private address, such as `10.0.0.7`, is one of them.
    public var addresses: [String]

    /// Creates a reading.
    public init(isReachable: Bool, interface: String?, kind: Kind?, addresses: [String]) {
        self.isReachable = isReachable
        self.interface = interface
        self.kind = kind
        self.addresses = addresses
    }

    private enum CodingKeys: String, CodingKey {
        case interface, kind, addresses
        case isReachable = "reachable"
    }

    /// The reading of a device without a default route.
    package static let unreachable = Network(isReachable: false, interface: nil, kind: nil, addresses: [])
}

extension Network: AspectDeclaration {
    /// The kind, the interface and the addresses: `wifi, wlan0, 192.0.2.7`.
    public var description: String {
        guard isReachable else { return "not reachable" }
        return ([kind?.rawValue ?? "reachable"] + [interface].compactMap { $0 } + addresses).joined(separator: ", ")
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, place: 2) }
    @usableFromInline package static var blank: Network { .unreachable }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.bool("reachable", &isReachable)
        coder.show(as: DashboardEntity("network", "Network", quantity: "connectivity", isDiagnostic: true))
        try coder.string("interface", &interface)
        try coder.word("kind", &kind)
        coder.show(as: DashboardEntity("network_kind", "Network kind", isDiagnostic: true))
        try coder.strings("addresses", &addresses)
        coder.accepts("a list of IP addresses")
    }

    package static var mainField: String? { "kind" }
    package static var abbreviations: String? {
        ", or \(Suggestion.list(Kind.allCases.map(\.rawValue) + ["none"]))"
    }

    package mutating func abbreviate(_ word: String) -> Bool {
        let kind = Kind(rawValue: word)
        guard kind != nil || word == "none" else { return false }
        self = Network(isReachable: kind != nil, interface: kind?.usualName, kind: kind, addresses: [])
        return true
    }
}

extension Network.Kind: WordSet {
    fileprivate var usualName: String {
        switch self {
        case .ethernet: "eth0"
        case .wifi: "wlan0"
        case .cellular: "wwan0"
        case .other: "tun0"
        }
    }
}
