// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// An accelerometer in the display half of the device.
struct Accelerometer: FoundSensor {
    /// The units per g of an input accelerometer that reports no resolution, as in iio-sensor-proxy.
    static let usualResolution = 256

    let access: SensorAccess
    let matrix: MountMatrix
    let matrixOrigin: String
    let isHID: Bool
    /// The conversion of raw values; unused for input devices.
    let scale: AxisScale

    typealias Candidate = SensorCandidate<Accelerometer>

    /// Finds all candidates, preferred ones first, with the configured mount matrix and name if there are any.
    static func candidates(_ settings: OrientationWatcher.Settings) throws(SystemError) -> [Candidate] {
        let (matrix, name) = (settings.matrix, settings.sensor)
        let (sensors, inputs) = (try UdevDevice.sensors(), try UdevDevice.all(of: "input"))
        let isChosen = { (device: UdevDevice) in name.map(device.isCalled) ?? false }
        // Without the chosen device, the usual ones are better than none.
        let isPresent = (sensors.filter(isPart) + inputs.filter(isAccelerometer)).contains(where: isChosen)
        let missing = isPresent ? nil : name
        return (missing.map { [Candidate(title: $0, sensor: nil, reason: UdevDevice.missingChoice)] } ?? [])
            + sensors.compactMap { candidate($0, matrix, isChosen: isPresent ? isChosen($0) : nil) }
            + inputs.compactMap { candidate($0, among: inputs, matrix, isChosen: isPresent ? isChosen($0) : nil) }
    }

    private static let channels = ["in_accel_x", "in_accel_y", "in_accel_z"]

    static func isPart(of device: UdevDevice) -> Bool {
        device.hasAttributes(of: channels) || device.isBuffered(channels)
    }

    private static func candidate(
        _ device: UdevDevice, _ configured: MountMatrix?, isChosen: Bool?
    ) -> Candidate? {
        guard isPart(of: device) else { return nil }
        if let reason = refusal(of: device, isChosen: isChosen) {
            return Candidate(title: device.title, sensor: nil, reason: reason)
        }
        let hasAttributes = device.hasAttributes(of: channels)
        let node = device.isBuffered(channels) ? device.node : nil
        guard hasAttributes || node != nil else {
            return Candidate(title: device.title, sensor: nil, reason: "ignored: it has a buffer but no device node")
        }
        let (matrix, origin) = matrix(device, configured)
        let sensor = Accelerometer(
            access: .sampled(
                IIOChannels(device: device.path, names: channels, hasAttributes: hasAttributes, node: node)),
            matrix: matrix, matrixOrigin: origin, isHID: OrientationFrame.hidNames.contains(device.text("name") ?? ""),
            scale: AxisScale(of: "in_accel", device))
        return Candidate(title: device.title, sensor: sensor, reason: "in the display")
    }

    /// Why a sensor is ignored; `nil` for the chosen one, or one in the display.
    private static func refusal(of device: UdevDevice, isChosen: Bool?) -> String? {
        if let isChosen { return isChosen ? nil : "ignored: another one was chosen (orientation.sensor)" }
        return elsewhere(device).map { "ignored: it is mounted in the \($0)" }
    }

    /// Where a sensor is mounted; `nil` for the display.
    private static func elsewhere(_ device: UdevDevice) -> String? {
        switch SysfsText.trimmed(device.properties["ACCEL_LOCATION"] ?? "") {
        case "base": return "base"
        case "display": return nil
        default: break
        }
        switch device.text("label") {
        case "accel-base": return "base"
        case "accel-camera": return "camera"
        case "accel-display": return nil
        default: return device.text("location") == "base" ? "base" : nil
        }
    }

    private static func matrix(_ device: UdevDevice, _ configured: MountMatrix?) -> (MountMatrix, String) {
        if let configured { return (configured, "configuration") }
        if let matrix = udevMatrix(device) { return matrix }
        for name in ["mount_matrix", "in_accel_mount_matrix", "in_mount_matrix"] {
            if let matrix = device.text(name).flatMap({ MountMatrix($0) }) { return (matrix, name) }
        }
        return (.identity, "none")
    }

    private static func udevMatrix(_ device: UdevDevice) -> (MountMatrix, String)? {
        device.properties["ACCEL_MOUNT_MATRIX"].flatMap { MountMatrix($0) }.map {
            ($0, "udev property ACCEL_MOUNT_MATRIX")
        }
    }

    // MARK: - Input devices

    private static func candidate(
        _ device: UdevDevice, among all: [UdevDevice], _ configured: MountMatrix?, isChosen: Bool?
    ) -> Candidate? {
        guard let node = device.node, device.name.hasPrefix("event"), isAccelerometer(device) else { return nil }
        // The motion sensor of a game controller is a sibling of the controller's own device.
        let hardware = device.ancestors.dropFirst().first
        let isController = all.contains { other in
            other.properties["ID_INPUT_JOYSTICK"] == "1" && hardware != nil && other.ancestors.contains(hardware ?? "")
        }
        if isController {
            return Candidate(title: device.name, sensor: nil, reason: "ignored: it is part of a game controller")
        }
        if let reason = refusal(of: device, isChosen: isChosen) {
            return Candidate(title: device.name, sensor: nil, reason: reason)
        }
        let (matrix, origin) =
            configured.map { ($0, "configuration") } ?? udevMatrix(device) ?? (.identity, "none")
        let sensor = Accelerometer(
            access: .input(node, isStream: true), matrix: matrix, matrixOrigin: origin, isHID: false,
            scale: .identity)
        return Candidate(title: device.name, sensor: sensor, reason: "an input device")
    }

    /// Whether the kernel (`INPUT_PROP_ACCELEROMETER` of linux/input-event-codes.h) or udev declares an accelerometer.
    private static func isAccelerometer(_ device: UdevDevice) -> Bool {
        if device.properties["ID_INPUT_ACCELEROMETER"] == "1" { return true }
        let accelerometer = 6
        guard let parent = device.parent, case .text(let text) = SysfsAttribute.read(parent + "/properties") else {
            return false
        }
        return InputBits(text).contains(accelerometer)
    }

    func statesUnit(_ sample: SensorSample) throws(SystemError) -> Bool {
        switch sample {
        case .values: scale.isStated
        case .input(let device): try device.axis(0).resolution > 0
        }
    }

    /// Converts a sample to meters per second squared, in the sensor's axes.
    func acceleration(_ sample: SensorSample) throws(SystemError) -> Vector {
        switch sample {
        case .values(let values):
            guard let acceleration = scale.applied(to: values[...]) else {
                throw SystemError("find three axes in a sample of", on: "the accelerometer", code: EINVAL)
            }
            return acceleration
        case .input(let device):
            var acceleration = Vector()
            for axis in 0..<3 {
                let reading = try device.axis(axis)
                let units = reading.resolution > 0 ? reading.resolution : Self.usualResolution
                acceleration[axis] = Double(reading.value) / Double(units) * OrientationFrame.standardGravity
            }
            return acceleration
        }
    }
}
