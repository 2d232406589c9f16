// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleHost
package import ReveilleSystem

/// One sample of an IIO sensor.
package enum IIOSample: Sendable, Hashable {
    case values([Double])
    case missing
    /// The error that the driver returned instead.
    case failed(SystemError)
}

/// How the channels of an IIO sensor can be read.
package struct IIOChannels: Sendable, Hashable {
    /// The sensor's directory in sysfs.
    package var device: String
    /// The names of the channels, in order, such as `in_accel_x`.
    package var names: [String]
    /// The last word of the names of attributes: `raw`, or `input` for values in the unit of the channel.
    package var suffix: String
    /// Whether each channel has an attribute, such as `in_accel_x_raw`.
    package var hasAttributes: Bool
    /// The device node that scans are read from, if they contain the channels.
    package var node: String?
    /// Whether scans contain their time; it is then the last value of a sample from the buffer.
    package var hasTimes = false

    package init(
        device: String, names: [String], suffix: String = "raw", hasAttributes: Bool = true, node: String? = nil
    ) {
        self.device = device
        self.names = names
        self.suffix = suffix
        self.hasAttributes = hasAttributes
        self.node = node
    }

    /// The names of the channels that a scan must contain.
    var scanned: [String] { names + (hasTimes ? ["in_timestamp"] : []) }

    fileprivate func path(of name: String) -> String {
        "\(device)/\(name)_\(suffix)"
    }
}

/// Reads the channels of one sensor, from its buffer or from its attributes.
///
/// The buffer is used if it is available, while a subscriber is in the foreground. A scan has all values of one moment
/// and costs one read. Attributes are measured one after the other.
package final class IIOReader: Sendable {
    struct State: ~Copyable {
        var isPrepared = false
        /// The frequency that was last set for a stream.
        var frequency: Double?
        /// The texts of the attributes that were set for a stream, in the order of setting.
        var original: [(path: String, text: String)] = []
        var buffer: IIOBuffer?
        var layout = ScanLayout([], wanted: [])
        var attributes: [SysfsReader] = []
    }

    let channels: IIOChannels
    let state = Lock(State())
    /// Why attributes are used in place of the buffer from the next sample on.
    ///
    /// It is not tried again while the sensor is present, unless a stream does so or access may have been granted.
    let refusal = Lock<SystemError?>(nil)
    /// The lowest sufficient frequency of a stream; `nil` for other uses.
    let wanted = Lock<Double?>(nil)

    /// Creates a reader; the sensor is first accessed by a sample.
    package init(_ channels: IIOChannels) {
        self.channels = channels
    }

    deinit {
        rest()
    }

    /// Whether a sample may leave an open buffer or attributes that ``rest()`` restores.
    var needsRest: Bool { channels.node != nil || wanted.withLock { $0 != nil } }

    /// How the sensor is read, for a person.
    package var manner: String {
        guard channels.node != nil else { return "polled" }
        return refusal.withLock { $0 }.map { "polled, buffer unavailable: \($0)" } ?? "by its buffer"
    }

    /// Tries the buffer again after a denial: udev grants access a moment after a device has appeared, and reports it.
    package func reconsiderAccess() {
        refusal.withLock { error in
            if error?.code == EACCES || error?.code == EPERM { error = nil }
        }
    }

    /// Takes a sample, and blocks until the sensor answers.
    ///
    /// While live, more samples follow soon, and the buffer stays enabled. Otherwise, a sensor with attributes rests
    /// between samples.
    package func sample(isLive: Bool) -> IIOSample {
        let wanted = wanted.withLock { $0 }
        return state.withLock { state in
            if let wanted { set(wanted, &state) } else { prepare(&state) }
            guard let node = channels.node, usesBuffer(isLive: isLive) else {
                // Many drivers refuse to read attributes while the buffer is open.
                state.buffer = nil
                return channels.hasAttributes ? readAttributes(&state) : refused
            }
            do throws(SystemError) {
                let values = try scan(node, &state)
                if !isLive { state.buffer = nil }
                return .values(values)
            } catch {
                state.buffer = nil
                // Another reader that has the buffer now will release it.
                if error.code != EBUSY { refusal.withLock { $0 = error } }
                if channels.hasAttributes { return readAttributes(&state) }
                return error.isAbsence ? .missing : .failed(error)
            }
        }
    }

    /// Takes a sample without waiting for the buffer, from a sensor that has been sampled before.
    ///
    /// Must not be called while another thread uses the reader.
    ///
    /// - Returns: The newest values; `nil` if only ``sample(isLive:)`` can return them.
    package func sampleAtOnce(isLive: Bool) -> IIOSample? {
        state.withLock { state in
            guard state.isPrepared else { return nil }
            guard usesBuffer(isLive: isLive) else { return readAttributes(&state) }
            guard let scans = try? state.buffer?.newest(scanBytes: state.layout.bytes, mayWait: false) else {
                return nil
            }
            return state.layout.last(of: scans).map(IIOSample.values)
        }
    }

    private func usesBuffer(isLive: Bool) -> Bool {
        channels.node != nil && refusal.withLock { $0 } == nil && (isLive || !channels.hasAttributes)
    }

    /// Closes the buffer, so that the sensor can rest, and restores the attributes that were set for a stream.
    package func rest() {
        state.withLock { state in
            state.buffer = nil
            for (path, text) in state.original.reversed() { try? SysfsAttribute.write(text, to: path) }
            state.original = []
            state.frequency = nil
        }
    }

    private var refused: IIOSample {
        let error = refusal.withLock { $0 } ?? SystemError("find a node of", on: channels.device, code: ENODEV)
        return error.isAbsence ? .missing : .failed(error)
    }

    /// Raises the frequency of a slow sensor if permitted.
    private func prepare(_ state: inout State) {
        guard !state.isPrepared else { return }
        state.isPrepared = true
        // For in_accel_x, this is in_accel_sampling_frequency.
        let kind = channels.names[0].split(separator: "_").prefix(2).joined(separator: "_")
        for name in [kind + "_sampling_frequency", "sampling_frequency"] {
            let path = "\(channels.device)/\(name)"
            let raised = SamplingFrequency.raised(
                from: SysfsAttribute.read(path).text, available: SysfsAttribute.read(path + "_available").text)
            if let raised { try? SysfsAttribute.write(raised, to: path) }
        }
    }

    private func readAttributes(_ state: inout State) -> IIOSample {
        if state.attributes.isEmpty {
            state.attributes = channels.names.map { SysfsReader(channels.path(of: $0)) }
        }
        var values: [Double] = []
        for (name, attribute) in zip(channels.names, state.attributes) {
            switch attribute.read() {
            case .missing: return .missing
            case .failed(let error): return .failed(error)
            case .text(let text):
                guard let value = SysfsText.number(text) else {
                    // Anything but a number is unexpected, and may be long.
                    let shown = SysfsText.trimmed(text).prefix(40)
                    let path = channels.path(of: name)
                    return .failed(SystemError("find a number in \"\(shown)\" of", on: path, code: EINVAL))
                }
                values.append(value)
            }
        }
        return .values(values)
    }

    private func scan(_ node: String, _ state: inout State) throws(SystemError) -> [Double] {
        if state.buffer == nil {
            let buffer = try IIOBuffer(of: channels.device, node: node, wanted: channels.scanned)
            state.layout = try layout(of: buffer.channels)
            state.buffer = consume buffer
        }
        let layout = state.layout
        let scans = try state.buffer?.newest(scanBytes: layout.bytes, mayWait: true) ?? []
        guard let values = layout.last(of: scans) else {
            throw SystemError("read a whole scan of", on: node, code: EIO)
        }
        return values
    }

    private func layout(of scan: [IIOBuffer.Channel]) throws(SystemError) -> ScanLayout {
        var elements: [ScanElement] = []
        for channel in scan {
            guard let element = ScanElement(channel.type) else {
                throw SystemError("read the type \"\(channel.type)\" of", on: channel.name, code: EINVAL)
            }
            elements.append(element)
        }
        var wanted: [Int] = []
        for name in channels.scanned {
            guard let place = scan.firstIndex(where: { $0.name == name }) else {
                throw SystemError("find in the scans of \(channels.device)", on: name, code: ENODEV)
            }
            wanted.append(place)
        }
        return ScanLayout(elements, wanted: wanted)
    }
}
