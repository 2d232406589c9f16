// SPDX-License-Identifier: Apache-2.0

/// An entry of the kernel's network tables, as a message of rtnetlink(7) contains it.
package enum NetworkEntry: Sendable, Hashable {
    case link(NetworkLink)
    case address(NetworkAddress)
    case route(NetworkRoute)

    /// The types of messages with a new or changed entry; the type of a removal is the next number.
    private enum MessageType {
        static let link: UInt16 = 16
        static let address: UInt16 = 20
        static let route: UInt16 = 24
    }

    /// Parses a message; `nil` for an entry that has no effect on the reading, and for other messages.
    package init?(_ message: NetlinkMessage) {
        let entry: NetworkEntry? =
            switch message.type & ~1 {
            case MessageType.link: NetworkLink(message.payload).map { .link($0) }
            case MessageType.address: NetworkAddress(message.payload).map { .address($0) }
            case MessageType.route: NetworkRoute(message.payload).map { .route($0) }
            default: nil
            }
        guard let entry else { return nil }
        self = entry
    }

    /// The message that adds the entry.
    package var message: NetlinkMessage {
        switch self {
        case .link(let link): NetlinkMessage(type: MessageType.link, payload: link.bytes[...])
        case .address(let address): NetlinkMessage(type: MessageType.address, payload: address.bytes[...])
        case .route(let route): NetlinkMessage(type: MessageType.route, payload: route.bytes[...])
        }
    }
}

package struct NetworkTables: Sendable, Hashable {
    /// The links, in the kernel's order.
    package private(set) var links: [NetworkLink] = []
    /// The addresses, in the kernel's order.
    package private(set) var addresses: [NetworkAddress] = []
    /// The default routes, in the kernel's order.
    package private(set) var routes: [NetworkRoute] = []
    private var entries: Set<NetworkEntry> = []

    package init() {}

    /// Adds the entry of a message, unless it has no effect on the reading.
    package mutating func insert(_ message: NetlinkMessage) {
        guard message.type & 1 == 0, let entry = NetworkEntry(message), entries.insert(entry).inserted else { return }
        switch entry {
        case .link(let link): links.append(link)
        case .address(let address): addresses.append(address)
        case .route(let route): routes.append(route)
        }
    }

    /// Returns whether the tables may differ from the kernel's after a notification.
    ///
    /// The kernel repeats entries, for example when a router extends the lifetime of an address. Every removal counts,
    /// because its message may differ from the message that added the entry.
    package func differ(after notification: NetlinkMessage) -> Bool {
        guard let entry = NetworkEntry(notification) else { return false }
        return notification.type & 1 == 1 || !entries.contains(entry)
    }
}
