// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

struct ProximitySensor: FoundSensor {
    /// `SW_FRONT_PROXIMITY` of linux/input-event-codes.h: 1 is near.
    static let frontSwitch = 0x0B

    let access: SensorAccess
    /// The rule that turns raw values into states; `nil` for a switch.
    let rule: ProximityRule?

    typealias Candidate = SensorCandidate<ProximitySensor>

    /// Finds all candidates, preferred ones first, with the configured near level if there is one.
    static func candidates(nearLevel: Double?) throws(SystemError) -> [Candidate] {
        try IIODevice.all().compactMap { candidate($0, nearLevel: nearLevel) }
            + UdevDevice.all(of: "input").compactMap(candidate)
    }

    private static func candidate(_ device: IIODevice, nearLevel: Double?) -> Candidate? {
        let channels = ["in_proximity", "in_proximity0"]
        guard let channel = channels.first(where: { device.has($0 + "_raw") }) else { return nil }
        if ProximityRule.isForRadio(label: device.text("label")) {
            return Candidate(
                title: device.title, sensor: nil,
                reason: "ignored: it serves the radio (label \(device.text("label") ?? ""))")
        }
        let origins = [
            ("configuration", nearLevel),
            ("udev property PROXIMITY_NEAR_LEVEL", SysfsText.number(device.device.properties["PROXIMITY_NEAR_LEVEL"])),
            ("in_proximity_nearlevel", SysfsText.number(device.text("in_proximity_nearlevel"))),
        ]
        for (origin, level) in origins {
            guard let rule = ProximityRule(nearLevel: level) else { continue }
            let sensor = ProximitySensor(
                access: .sampled(IIOChannels(device: device.device.path, names: [channel])), rule: rule)
            return Candidate(title: device.title, sensor: sensor, reason: "near from \(rule.nearLevel) (\(origin))")
        }
        return Candidate(title: device.title, sensor: nil, reason: "ignored: it has no near level")
    }

    private static func candidate(_ device: UdevDevice) -> Candidate? {
        guard let node = device.node, device.name.hasPrefix("event"), let parent = device.parent,
            case .text(let text) = SysfsAttribute.read(parent + "/capabilities/sw"),
            InputBits(text).contains(frontSwitch)
        else { return nil }
        let sensor = ProximitySensor(access: .input(node, isStream: false), rule: nil)
        return Candidate(title: device.name, sensor: sensor, reason: "switch SW_FRONT_PROXIMITY")
    }
}
