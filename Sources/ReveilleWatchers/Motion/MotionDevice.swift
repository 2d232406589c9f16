// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// A device that provides acceleration, rotation, or both at one moment.
struct MotionDevice: Equatable, Sendable {
    struct Values: Equatable {
        var acceleration: Motion.Vector?
        var rotation: Motion.Vector?
        /// The driver's time in nanoseconds since 1970, if it gave one.
        var time: Double?
    }

    let title: String
    let access: SensorAccess
    let accelerometer: Accelerometer?
    let gyroscope: Gyroscope?
    let accelerationRule: MotionRule
    let rotationRule: MotionRule
    /// The highest frequency in Hz; `nil` if it is unknown.
    let highestFrequency: Double?

    /// Finds the device of the accelerometer, which also determines the pose, and the device of a separate gyroscope.
    static func all(_ settings: OrientationWatcher.Settings) throws(SystemError) -> [MotionDevice] {
        let accelerometers = try Accelerometer.candidates(settings)
        let accelerometer = accelerometers.first { $0.sensor != nil }
        let gyroscopes = try Gyroscope.all()
        var devices: [MotionDevice] = []
        var gyroscope = gyroscopes.first
        if let accelerometer, let sensor = accelerometer.sensor {
            var own: Gyroscope?
            if case .sampled(let channels) = sensor.access {
                own = gyroscopes.first { $0.device.path == channels.device && $0.isRead(with: channels) }
            }
            devices.append(MotionDevice(accelerometer.title, sensor, own, settings))
            // Another device's gyroscope is used only if this device has none.
            gyroscope = own == nil ? gyroscope : nil
        }
        if let gyroscope {
            devices.append(MotionDevice(gyroscope, beside: accelerometer?.sensor, settings))
        }
        return devices
    }

    private init(
        _ title: String, _ accelerometer: Accelerometer, _ gyroscope: Gyroscope?,
        _ settings: OrientationWatcher.Settings
    ) {
        self.title = title
        self.accelerometer = accelerometer
        self.gyroscope = gyroscope
        accelerationRule = MotionRule(settings.frame, matrix: accelerometer.matrix, isHID: accelerometer.isHID)
        rotationRule = gyroscope?.rule(settings, beside: accelerometer) ?? accelerationRule
        guard case .sampled(var channels) = accelerometer.access else {
            access = accelerometer.access
            highestFrequency = nil
            return
        }
        if gyroscope != nil { channels.names += Gyroscope.channels }
        access = .sampled(Self.timed(channels))
        highestFrequency = Self.highestFrequency(of: channels)
    }

    private init(
        _ gyroscope: Gyroscope, beside accelerometer: Accelerometer?, _ settings: OrientationWatcher.Settings
    ) {
        title = gyroscope.title
        self.accelerometer = nil
        self.gyroscope = gyroscope
        rotationRule = gyroscope.rule(settings, beside: accelerometer)
        accelerationRule = rotationRule
        let channels = IIOChannels(
            device: gyroscope.device.path, names: Gyroscope.channels,
            hasAttributes: gyroscope.device.hasAttributes(of: Gyroscope.channels),
            node: gyroscope.device.isBuffered(Gyroscope.channels) ? gyroscope.device.node : nil)
        access = .sampled(Self.timed(channels))
        highestFrequency = Self.highestFrequency(of: channels)
    }

    private static func timed(_ channels: IIOChannels) -> IIOChannels {
        var channels = channels
        let type = SysfsAttribute.read(channels.device + "/scan_elements/in_timestamp_type")
        channels.hasTimes = channels.node != nil && type.text != nil
        return channels
    }

    private static func highestFrequency(of channels: IIOChannels) -> Double? {
        let kind = channels.names[0].split(separator: "_").prefix(2).joined(separator: "_")
        return [kind + "_sampling_frequency_available", "sampling_frequency_available"].lazy.compactMap { name in
            SamplingFrequency.highest(available: SysfsAttribute.read("\(channels.device)/\(name)").text)
        }.first
    }

    /// Returns why the device provides no acceleration; `nil` if it does.
    func accelerationProblem() throws(SystemError) -> String? {
        guard let accelerometer else { return "no accelerometer" }
        let isStated: Bool
        switch access {
        case .sampled: isStated = accelerometer.scale.isStated
        case .input(let node, _): isStated = try accelerometer.statesUnit(.input(InputDevice(node: node)))
        }
        return isStated ? nil : "\(title) does not state the unit of its values, of which only the direction is known"
    }

    /// Finds the devices, with the reason if one provides neither acceleration nor rotation.
    static func found(_ settings: OrientationWatcher.Settings) throws(SystemError) -> [Found] {
        try all(settings).map { device in
            Found(device: device, problem: Result { () throws(SystemError) in try device.problem() })
        }
    }

    struct Found: Sendable {
        let device: MotionDevice
        /// The reason, `nil` for a device that provides either, or why it cannot be opened.
        let problem: Result<String?, SystemError>
    }

    /// Returns why the device provides neither acceleration nor rotation; `nil` if it provides either.
    private func problem() throws(SystemError) -> String? {
        if gyroscope?.scale.isStated == true { return nil }
        if case .input(let node, _) = access, try InputDevice(node: node).rotation() != nil { return nil }
        guard accelerometer != nil else { return "\(title) does not state the unit of its values" }
        return try accelerationProblem()
    }

    /// Returns the vectors of a sample; missing and implausible vectors are `nil`.
    func values(_ sample: SensorSample) throws(SystemError) -> Values {
        var values = Values()
        switch sample {
        case .values(let numbers):
            var rest = numbers[...]
            if accelerometer != nil {
                values.acceleration = try acceleration(sample)
                rest = rest.dropFirst(3)
            }
            if let gyroscope {
                if gyroscope.scale.isStated {
                    values.rotation = gyroscope.scale.applied(to: rest).flatMap(rotationRule.rotation)
                }
                rest = rest.dropFirst(3)
            }
            values.time = rest.first
        case .input(let device):
            values.acceleration = try acceleration(sample)
            values.rotation = try device.rotation().flatMap(rotationRule.rotation)
        }
        return values
    }

    private func acceleration(_ sample: SensorSample) throws(SystemError) -> Motion.Vector? {
        // Without a unit, only the direction of a sample is known.
        guard let accelerometer, try accelerometer.statesUnit(sample) else { return nil }
        return accelerationRule.acceleration(try accelerometer.acceleration(sample))
    }
}

extension Gyroscope {
    /// Returns whether its channels are read in the same way as others of its device.
    fileprivate func isRead(with channels: IIOChannels) -> Bool {
        device.hasAttributes(of: Self.channels) == channels.hasAttributes
            && (channels.node == nil || device.isBuffered(Self.channels))
    }
}

extension InputDevice {
    /// The axes ABS_RX, ABS_RY and ABS_RZ.
    private static let rotationAxes = 3...5

    /// Returns the rotation in radians per second; `nil` if the device does not have it or does not state its unit.
    fileprivate func rotation() throws(SystemError) -> Vector? {
        var numbers: [Double] = []
        for code in Self.rotationAxes {
            let axis = try axis(code)
            // Units per degree per second.
            guard axis.resolution > 0 else { return nil }
            numbers.append(Double(axis.value) / Double(axis.resolution) * Double.pi / 180)
        }
        return Vector(x: numbers[0], y: numbers[1], z: numbers[2])
    }
}
