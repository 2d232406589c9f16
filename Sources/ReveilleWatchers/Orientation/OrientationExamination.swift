// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Describes the accelerometer, and the steps from its values to a pose, for a person.
enum OrientationExamination {
    static func examine(_ settings: OrientationWatcher.Settings) -> Examination {
        var examination = Examination()
        do throws(SystemError) {
            let candidates = try Accelerometer.candidates(matrix: settings.matrix)
            for candidate in candidates {
                examination.findings.append(Examination.Finding(candidate.title, candidate.reason))
            }
            if let sensor = candidates.lazy.compactMap(\.sensor).first {
                examine(sensor, settings, &examination)
                examination.advice.append(
                    "for a wrong pose, set orientation.matrix or orientation.frame (hid, iio-doc) in the configuration")
            }
        } catch {
            examination.advice.append("sensors cannot be listed: \(error)")
        }
        return examination
    }

    private static func examine(
        _ sensor: Accelerometer, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) {
        func add(_ name: String, _ value: String) {
            examination.findings.append(Examination.Finding(name, value))
        }
        add("used", sensor.title)
        let sample: SensorSample
        switch sensor.access {
        case .sampled(let channels):
            let reader = IIOReader(channels)
            let read = reader.sample(isLive: true)
            add("read", reader.manner)
            guard case .values(let values) = read else {
                return add("raw", "\(read)")
            }
            add("raw", values.map { "\($0)" }.joined(separator: ", "))
            add("scale", text(sensor.scale))
            sample = .values(values)
        case .input(let node, _):
            do throws(SystemError) {
                sample = .input(try InputDevice(node: node))
            } catch {
                add("raw", "\(error)")
                examination.advice.append("join the group input to read \(node)")
                return
            }
        }
        add("matrix", "\(sensor.matrix) (\(sensor.matrixOrigin))")
        add("determinant", "\(sensor.matrix.determinant)")
        add("frame", settings.frame.rawValue + (sensor.isHID ? ", a HID sensor" : ""))
        do throws(SystemError) {
            let acceleration = try sensor.acceleration(sample)
            let gravity = settings.frame.gravity(acceleration, matrix: sensor.matrix, isHID: sensor.isHID)
            add("gravity in g", text(gravity))
            let pose = OrientationRule.reading(at: gravity, last: .unknown)?.pose.rawValue
            add("result", pose ?? "none: the acceleration is not that of gravity alone")
        } catch {
            add("result", "\(error)")
        }
    }

    private static func text(_ vector: Vector) -> String {
        [vector.x, vector.y, vector.z].map { "\(($0 * 1_000_000).rounded() / 1_000_000)" }.joined(separator: ", ")
    }
}
