// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleHost
import ReveilleSystem

/// A device that may be the sensor of an aspect.
struct SensorCandidate<Sensor: Sendable>: Sendable {
    let title: String
    /// The sensor; `nil` for a device that is ignored.
    let sensor: Sensor?
    /// How the sensor is used, or why the device is ignored.
    let reason: String
}

extension SensorWatch {
    /// Returns the sensor that is used, or why there is none; `absence` is the reason if there are no candidates.
    func source(orElse absence: String) -> SourceDescription {
        finder.source { candidates in
            if let used = candidates.first(where: { $0.sensor != nil }) {
                let missing = candidates.filter { $0.reason == UdevDevice.missingChoice }.map(\.title)
                let source = SourceDescription.available(used.title + (manner.map { ", " + $0 } ?? ""))
                return source.noting(missing: missing.first)
            }
            let ignored = candidates.map { "\($0.title) \($0.reason)" }.joined(separator: "; ")
            return .unavailable(ignored.isEmpty ? absence : ignored)
        }
    }

    func examine(_ body: ([SensorCandidate<Sensor>], inout Examination) -> Void) -> Examination {
        Examination(orAdvice: "sensors cannot be listed") { () throws(SystemError) in
            let candidates = try candidates()
            var examination = Examination()
            body(candidates, &examination)
            return examination
        }
    }

    /// Describes the candidates, and explains one sample of each sensor: its raw value and its reading.
    func examine(
        advice: String, explain: (Sensor, SensorSample) throws(SystemError) -> (raw: String, result: String)
    ) -> Examination {
        examine { candidates, examination in
            for candidate in candidates {
                examination.add(candidate.title, candidate.reason)
                guard let sensor = candidate.sensor else { continue }
                do throws(SystemError) {
                    let (raw, result) = try explain(sensor, sensor.access.sample())
                    examination.add("raw", raw)
                    examination.add("result", result)
                } catch {
                    examination.add(error, of: sensor.access)
                }
            }
            if !candidates.isEmpty, candidates.allSatisfy({ $0.sensor == nil }) { examination.advice.append(advice) }
        }
    }
}

extension SensorAccess {
    fileprivate func sample() throws(SystemError) -> SensorSample {
        switch self {
        case .sampled(let channels):
            switch IIOReader(channels).sample(isLive: false) {
            case .values(let values): return .values(values)
            case .missing: throw SystemError("read", on: channels.device, code: ENODEV)
            case .failed(let error): throw error
            }
        case .input(let node, _): return .input(try InputDevice(node: node))
        }
    }
}

extension Examination {
    /// Adds how a sensor is read, and returns the values of a sample, if there are any.
    mutating func addSample(of reader: IIOReader) -> [Double]? {
        let sample = reader.sample(isLive: true)
        add("read", reader.manner)
        guard case .values(let values) = sample else {
            add("raw", "\(sample)")
            isUnknown = true
            return nil
        }
        add("raw", values.map { "\($0)" }.joined(separator: ", "))
        return values
    }

    mutating func add(_ error: SystemError, of access: SensorAccess) {
        add("raw", "\(error)")
        isUnknown = true
        if case .input(let node, _) = access { advice.append("join the group input to read \(node)") }
    }
}
