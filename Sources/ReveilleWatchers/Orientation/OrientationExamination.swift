// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Describes the steps from an accelerometer's values to a pose, for a person.
enum OrientationExamination {
    static func examine(
        _ sensor: Accelerometer, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) {
        let sample: SensorSample
        switch sensor.access {
        case .sampled(let channels):
            let reader = IIOReader(channels)
            let read = reader.sample(isLive: true)
            examination.add("read", reader.manner)
            guard case .values(let values) = read else {
                return examination.add("raw", "\(read)")
            }
            examination.add("raw", values.map { "\($0)" }.joined(separator: ", "))
            examination.add("scale", text(sensor.scale))
            sample = .values(values)
        case .input(let node, _):
            do throws(SystemError) {
                sample = .input(try InputDevice(node: node))
            } catch {
                examination.add("raw", "\(error)")
                examination.advice.append("join the group input to read \(node)")
                return
            }
        }
        examination.add("matrix", "\(sensor.matrix) (\(sensor.matrixOrigin))")
        examination.add("determinant", "\(sensor.matrix.determinant)")
        examination.add("frame", settings.frame.rawValue + (sensor.isHID ? ", a HID sensor" : ""))
        do throws(SystemError) {
            let acceleration = try sensor.acceleration(sample)
            let gravity = settings.frame.gravity(acceleration, matrix: sensor.matrix, isHID: sensor.isHID)
            examination.add("gravity in g", text(gravity))
            let pose = OrientationRule.reading(at: gravity, last: .unknown)?.pose.rawValue
            examination.add("result", pose ?? "none: the acceleration is not that of gravity alone")
        } catch {
            examination.add("result", "\(error)")
        }
    }

    private static func text(_ vector: Vector) -> String {
        [vector.x, vector.y, vector.z].map { "\(($0 * 1_000_000).rounded() / 1_000_000)" }.joined(separator: ", ")
    }
}
