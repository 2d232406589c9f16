// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

struct LightSensor: FoundSensor {
    let access: SensorAccess
    let rule: LightRule

    typealias Candidate = SensorCandidate<LightSensor>

    static func candidates() throws(SystemError) -> [Candidate] {
        try IIODevice.all().compactMap(candidate)
    }

    private static func candidate(_ device: IIODevice) -> Candidate? {
        for channel in ["in_illuminance", "in_illuminance0"] {
            // A processed value is in lux.
            for (suffix, isProcessed) in [("input", true), ("raw", false)] where device.has("\(channel)_\(suffix)") {
                let scale = isProcessed ? 1 : scale(of: channel, device)
                let offset = isProcessed ? 0 : SysfsText.number(device.text(channel + "_offset")) ?? 0
                guard let rule = LightRule(offset: offset, scale: scale) else {
                    return Candidate(title: device.title, sensor: nil, reason: "ignored: its scale is \(scale)")
                }
                let channels = IIOChannels(device: device.device.path, names: [channel], suffix: suffix)
                let reason = isProcessed ? "in lux" : "raw + \(offset), times \(scale) lux"
                return Candidate(
                    title: device.title, sensor: LightSensor(access: .sampled(channels), rule: rule), reason: reason)
            }
        }
        return nil
    }

    /// The scale of a raw value; 1 if the driver has no scale, and 0 if the scale is not a number.
    private static func scale(of channel: String, _ device: IIODevice) -> Double {
        guard let text = device.text(channel + "_scale") else { return 1 }
        return SysfsText.number(text) ?? 0
    }
}
