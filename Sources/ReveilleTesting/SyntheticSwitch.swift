// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A switch of the case of a ``SyntheticPhone``: an input device, which sends an event when it changes.
///
/// ```swift
/// try phone.lid.set(true)
/// ```
public final class SyntheticSwitch: SyntheticPart {
    /// Whether the switch is on: the lid is closed, the phone is a tablet, or it is docked.
    public private(set) var isOn = false

    private let item: CaseSwitch
    private let node: String
    private var input: SyntheticDevice?

    init(_ testbed: Testbed, _ item: CaseSwitch) {
        self.item = item
        let name = "event\(item.rawValue)"
        node = "/dev/input/" + name
        super.init(testbed, subsystem: "input", name: name, type: ("DEVNAME", node))
    }

    /// Sets the switch; inserts the part if it is removed.
    ///
    /// - Throws: `TestbedError` if umockdev rejects the device.
    public func set(_ isOn: Bool) throws(TestbedError) {
        self.isOn = isOn
        try testbed.step { () throws(TestbedError) in
            if isPresent { try setBits() } else { try insert() }
        }
    }

    private var bit: Int { 1 << item.rawValue }

    private func setBits() throws(TestbedError) {
        try testbed.setSwitches(isOn ? bit : 0, of: node)
    }

    override func insertParent() throws(TestbedError) -> SyntheticDevice? {
        try setBits()
        input = try testbed.add(
            subsystem: "input", name: "input\(item.rawValue)",
            attributes: ["name": "\(item) switch", "capabilities/sw": String(bit, radix: 16)])
        return input
    }

    override func removeParent() throws(TestbedError) {
        try input?.remove()
        input = nil
        try testbed.ask(["unswitch", node])
    }
}

extension Testbed {
    /// Sets the switches of the input device with a node in `/dev/input`, one bit each; the first call makes the node.
    package func setSwitches(_ bits: Int, of node: String) throws(TestbedError) {
        try setDistance(bits, of: node, maximum: 0)
    }

    /// Sets the value of `ABS_DISTANCE`, likewise.
    package func setDistance(_ distance: Int, of node: String, maximum: Int) throws(TestbedError) {
        try step { () throws(TestbedError) in try ask(["switches", node, "\(distance)", "\(maximum)"]) }
    }
}
