// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// Describes the steps from the values of sensors to acceleration and rotation, for a person.
enum MotionExamination {
    static func examine(_ feed: MotionFeed) -> Examination {
        Examination(orAdvice: "sensors cannot be listed") { () throws(SystemError) in
            var examination = Examination()
            for device in try MotionDevice.all(feed.settings) { examine(device, feed.settings, &examination) }
            return examination
        }
    }

    /// Adds the findings about one device; an error ends only these.
    private static func examine(
        _ device: MotionDevice, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) {
        do throws(SystemError) {
            try measure(device, settings, &examination)
        } catch {
            examination.add(error, of: device.access)
        }
    }

    private static func measure(
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
        if let accelerometer = device.accelerometer {
            let isStated = try accelerometer.statesUnit(sample)
            examination.add("acceleration in g", text(values.acceleration, isStated: isStated))
        }
        if let gyroscope = device.gyroscope {
            examination.add("rotation in rad/s", text(values.rotation, isStated: gyroscope.scale.isStated))
        } else if let rotation = values.rotation {
            examination.add("rotation in rad/s", rotation.description)
        }
    }

    private static func text(_ vector: Motion.Vector?, isStated: Bool) -> String {
        guard isStated else { return "unknown, since the driver does not state the unit" }
        return vector?.description ?? "not plausible"
    }
}
