// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

struct Gyroscope: Equatable, Sendable {
    static let channels = ["in_anglvel_x", "in_anglvel_y", "in_anglvel_z"]

    let device: UdevDevice
    let title: String
    /// The mounting of the gyroscope alone; `nil` if its driver does not know it.
    let matrix: MountMatrix?
    let isHID: Bool
    /// The conversion of raw values to radians per second.
    let scale: AxisScale

    /// Finds all gyroscopes, in the order of their names.
    static func all() throws(SystemError) -> [Gyroscope] {
        try UdevDevice.sensors().compactMap { device in
            guard device.hasAttributes(of: channels) || device.has("scan_elements/\(channels[0])_type") else {
                return nil
            }
            return Gyroscope(
                device: device, title: device.title, matrix: matrix(device), isHID: device.text("name") == "gyro_3d",
                scale: AxisScale(of: "in_anglvel", device))
        }
    }

    private static func matrix(_ device: UdevDevice) -> MountMatrix? {
        // The mounting of a whole chip belongs to its accelerometer. Udev or the configuration may override the
        // accelerometer's mounting.
        let common = Accelerometer.isPart(of: device) ? [] : ["mount_matrix", "in_mount_matrix"]
        let matrix = (["in_anglvel_mount_matrix"] + common).lazy.compactMap { name in
            device.text(name).flatMap { MountMatrix($0) }
        }.first
        // Drivers show the identity if the firmware does not state the mounting.
        return matrix == .identity ? nil : matrix
    }

    /// Returns the rule for the axes; without a mounting of its own, a gyroscope is mounted like the accelerometer.
    func rule(_ settings: OrientationWatcher.Settings, beside accelerometer: Accelerometer?) -> MotionRule {
        if let matrix { return MotionRule(settings.frame, matrix: matrix, isHID: isHID) }
        return MotionRule(
            settings.frame, matrix: accelerometer?.matrix ?? settings.matrix ?? .identity,
            isHID: accelerometer?.isHID ?? isHID)
    }
}
