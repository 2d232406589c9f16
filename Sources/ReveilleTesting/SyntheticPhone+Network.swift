// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ReveilleCore
import ReveilleWatchers

extension SyntheticPhone {
    /// Connects the phone to a network in place of the current one.
    ///
    /// The interface is `eth0`, `wlan0`, `wwan0` or `tun0`. A phone is created without a network, and never uses this
    /// machine's network.
    ///
    /// ```swift
    /// try phone.connect(over: .wifi)
    /// ```
    ///
    /// - Parameters:
    ///   - kind: The kind of the interface.
    ///   - host: The last number of the phone's address, which begins with 192.0.2.
    /// - Throws: `TestbedError` if a file cannot be written.
    public func connect(over kind: Network.Kind, host: UInt8 = 1) throws(TestbedError) {
        var link = NetworkLink(index: 2, name: kind.interface.name)
        if kind == .other { link.driver = "tun" }
        var entries: [NetworkEntry] = [.link(link), .route(NetworkRoute(metric: 100, links: [link.index]))]
        if let address = IPAddress(family: IPAddress.Family.version4, [192, 0, 2, host]) {
            entries.append(.address(NetworkAddress(link: link.index, address: address)))
        }
        try testbed.step { () throws(TestbedError) in
            try addInterface(of: kind)
            try record(entries)
        }
    }

    /// Disconnects the phone from its network.
    ///
    /// - Throws: `TestbedError` if a file cannot be written.
    public func disconnect() throws(TestbedError) {
        try testbed.step { () throws(TestbedError) in try record([]) }
    }

    func record(_ entries: [NetworkEntry]) throws(TestbedError) {
        let path = "files" + NetworkWatcher.recording + "/rtnetlink"
        try directory.write(bytes: entries.flatMap(\.message.bytes), to: path)
    }

    /// Adds an interface to sysfs, which distinguishes the kinds.
    private func addInterface(of kind: Network.Kind) throws(TestbedError) {
        guard access(testbed.root + "/sys/class/net/" + kind.interface.name, F_OK) != 0 else { return }
        let type = kind.interface.type.map { ["DEVTYPE": $0] } ?? [:]
        _ = try testbed.add(subsystem: "net", name: kind.interface.name, attributes: ["type": "1"], properties: type)
    }
}

extension Network.Kind {
    /// The interface, and the type in its properties.
    fileprivate var interface: (name: String, type: String?) {
        switch self {
        case .ethernet: ("eth0", nil)
        case .wifi: ("wlan0", "wlan")
        case .cellular: ("wwan0", "wwan")
        case .other: ("tun0", nil)
        }
    }
}
