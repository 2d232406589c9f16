// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Describes the steps from the values of sensors to acceleration and rotation, for a person.
enum MotionExamination {
    /// Returns a description of the sensors that are present, or the reason why they cannot be listed.
    static func source(
        of feed: MotionFeed, _ describe: ([MotionDevice]) -> SourceDescription
    ) -> SourceDescription {
        do throws(SystemError) {
            return describe(try MotionDevice.all(feed.settings))
        } catch {
            return .unavailable("\(error)")
        }
    }

    static func examine(_ feed: MotionFeed) -> Examination {
        var examination = Examination()
        do throws(SystemError) {
            for device in try MotionDevice.all(feed.settings) { try examine(device, feed.settings, &examination) }
        } catch {
            examination.advice.append("sensors cannot be read: \(error)")
        }
        return examination
    }

    private static func examine(
        _ device: MotionDevice, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) throws(SystemError) {
        examination.add("used", device.title)
        let sample: SensorSample
        switch device.access {
        case .sampled(let channels):
            let reader = IIOReader(channels)
            let read = reader.sample(isLive: true)
            examination.add("read", reader.manner)
            guard case .values(let values) = read else { return examination.add("raw", "\(read)") }
            examination.add("raw", values.map { "\($0)" }.joined(separator: ", "))
            sample = .values(values)
        case .input(let node, _):
            sample = .input(try InputDevice(node: node))
        }
        if let sensor = device.accelerometer {
            examination.add("matrix", "\(sensor.matrix) (\(sensor.matrixOrigin))")
        }
        if let gyroscope = device.gyroscope {
            examination.add("gyroscope's matrix", gyroscope.matrix.map { "\($0)" } ?? "as the accelerometer's")
        }
        examination.add("frame", settings.frame.rawValue)
        if let frequency = device.highestFrequency { examination.add("highest frequency", "\(frequency) Hz") }
        let values = try device.values(sample)
        if device.accelerometer != nil {
            examination.add("acceleration in g", values.acceleration?.description ?? "not plausible")
        }
        if let rotation = values.rotation {
            examination.add("rotation in rad/s", rotation.description)
        } else if device.gyroscope != nil {
            examination.add("rotation in rad/s", "not plausible")
        }
    }
}
