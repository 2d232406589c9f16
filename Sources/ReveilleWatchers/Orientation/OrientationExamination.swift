// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// Describes the steps from an accelerometer's values to a pose, for a person.
enum OrientationExamination {
    /// The largest number of samples; a device in motion may need a few more than a device at rest.
    private static let attempts = 10

    static func examine(
        _ sensor: Accelerometer, _ settings: OrientationWatcher.Settings, _ examination: inout Examination
    ) {
        var read: () -> SensorSample?
        switch sensor.access {
        case .sampled(let channels):
            let reader = IIOReader(channels)
            guard examination.addSample(of: reader) != nil else { return }
            examination.add("scale", sensor.scale.isStated ? text(sensor.scale.scale) : "none")
            read = {
                guard case .values(let values) = reader.sample(isLive: true) else { return nil }
                return .values(values)
            }
        case .input(let node, _):
            do throws(SystemError) {
                let device = try InputDevice(node: node)
                read = { .input(device) }
            } catch {
                return examination.add(error, of: sensor.access)
            }
        }
        examination.add("matrix", "\(sensor.matrix) (\(sensor.matrixOrigin))")
        examination.add("determinant", "\(sensor.matrix.determinant)")
        examination.add("frame", settings.frame.rawValue + (sensor.isHID ? ", a HID sensor" : ""))
        do throws(SystemError) {
            try measure(sensor, settings.frame, read, &examination)
        } catch {
            examination.add("result", "\(error)")
        }
    }

    /// Adds gravity and the pose, from samples in quick succession until they have a meaning.
    private static func measure(
        _ sensor: Accelerometer, _ frame: OrientationFrame, _ read: () -> SensorSample?,
        _ examination: inout Examination
    ) throws(SystemError) {
        var unit: GravityUnit?
        for attempt in 1...attempts {
            guard let sample = read() else { return }
            let acceleration = try sensor.acceleration(sample)
            let gravity = frame.gravity(acceleration, matrix: sensor.matrix, isHID: sensor.isHID)
            let isStated = try sensor.statesUnit(sample)
            if unit == nil { examination.add("gravity in g", text(gravity)) }
            var current = unit ?? GravityUnit(isStated: isStated)
            let measured = current.gravity(gravity)
            unit = current
            if measured == nil, current.isInDoubt, attempt < attempts { continue }
            if !isStated { examination.add("unit", "not stated by the driver: only the direction of gravity is used") }
            if current.isWrong {
                examination.add("length", "\(text(gravity.length)) g at rest: only the direction of gravity is used")
                examination.advice.append("the scale of the accelerometer is wrong: file a bug against its driver")
            }
            let pose = measured.map { OrientationRule.reading(at: $0, last: .unknown).pose.rawValue }
            return examination.add("result", pose ?? "none: the acceleration is not that of gravity alone")
        }
    }

    private static func text(_ vector: Vector) -> String {
        [vector.x, vector.y, vector.z].map(text).joined(separator: ", ")
    }

    private static func text(_ number: Double) -> String {
        "\((number * 1_000_000).rounded() / 1_000_000)"
    }
}
