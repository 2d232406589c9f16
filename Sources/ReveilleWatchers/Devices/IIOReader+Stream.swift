// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleCore
import ReveilleHost
import ReveilleSystem

extension IIOReader {
    /// The descriptor of the open buffer, borrowed until the next sample or rest; `nil` while the buffer is closed.
    ///
    /// Waits for a sample that another thread is taking.
    package var node: Int32? { state.withLock { $0.buffer?.descriptor } }

    /// Sets the lowest sufficient frequency in Hz from the next sample on; the sensor gets its lowest at or above this.
    package func want(_ frequency: Double) {
        wanted.withLock { $0 = max(frequency, SamplingFrequency.enough) }
    }

    /// Whether the frequency that is wanted has been set.
    package var isPrepared: Bool {
        let wanted = wanted.withLock { $0 }
        return state.withLock { $0.frequency == wanted }
    }

    /// Returns the newest scan that waits, without blocking; `nil` if none waits or the full buffer has lost the newest.
    package func takeWaiting() -> IIOSample? {
        state.withLock { state in
            let layout = state.layout
            do throws(SystemError) {
                guard let scans = try state.buffer?.newest(scanBytes: layout.bytes, mayWait: false), !scans.isEmpty
                else { return nil }
                guard scans.count % layout.bytes == 0, let values = layout.last(of: scans) else {
                    throw SystemError("read whole scans of", on: channels.device, code: EIO)
                }
                return .values(values)
            } catch {
                state.buffer = nil
                return error.isAbsence ? .missing : .failed(error)
            }
        }
    }

    /// Sets the frequency of a stream, and makes the sensor report small changes and the time of day.
    func set(_ frequency: Double, _ state: inout State) {
        guard state.frequency != frequency else { return }
        // Most drivers change nothing while the buffer is enabled.
        state.buffer = nil
        state.frequency = frequency
        let kinds = Set(channels.names.map { $0.split(separator: "_").prefix(2).joined(separator: "_") })
        for name in kinds.sorted().map({ $0 + "_sampling_frequency" }) + ["sampling_frequency"] {
            let path = "\(channels.device)/\(name)"
            guard SysfsAttribute.read(path).text != nil else { continue }
            let text = SamplingFrequency.lowest(
                atLeast: frequency, available: SysfsAttribute.read(path + "_available").text)
            if let text { write(text, to: path, &state) }
        }
        // A HID sensor withholds changes up to its hysteresis.
        for kind in kinds.sorted() { write("0", to: "\(channels.device)/\(kind)_hysteresis", &state) }
        if channels.hasTimes { write("realtime", to: channels.device + "/current_timestamp_clock", &state) }
    }

    /// Writes an attribute if it exists and has another value; ``rest()`` restores this value.
    private func write(_ text: String, to path: String, _ state: inout State) {
        guard let current = SysfsAttribute.read(path).text.map(SysfsText.trimmed), current != text else { return }
        guard (try? SysfsAttribute.write(text, to: path)) != nil else { return }
        if !state.original.contains(where: { $0.path == path }) { state.original.append((path, current)) }
    }
}

/// How well the buffer of a sensor works.
struct BufferHealth {
    /// The number of waits without a scan since the last scan.
    var silentWaits = 0
    /// Whether the sensor has provided scans, so that its buffer is tried again.
    var hasScans = false
    /// When a failed buffer is tried again; `nil` for a working buffer.
    var recovers: Instant?
}
