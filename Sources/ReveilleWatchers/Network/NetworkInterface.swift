// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A network interface in sysfs.
struct NetworkInterface {
    private let link: NetworkLink

    init(_ link: NetworkLink) {
        self.link = link
    }

    /// The kind of the interface.
    ///
    /// The link's message does not suffice: a wireless interface has the type of Ethernet.
    var kind: Network.Kind {
        let directory = "/sys/class/net/" + link.name
        let properties = SysfsAttribute.read(directory + "/uevent").text.map { $0.split(separator: "\n") } ?? []
        let type = properties.lazy.compactMap { Self.value(of: "DEVTYPE=", in: $0) }.first
        return NetworkRule.kind(
            of: link, deviceType: type,
            isWireless: ["phy80211", "wireless"].contains { SysfsAttribute.read(directory + "/" + $0) != .missing })
    }

    private static func value(of key: String, in line: Substring) -> String? {
        line.hasPrefix(key) ? String(line.dropFirst(key.count)) : nil
    }
}
