// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSystem

/// A device that may be the sensor of an aspect.
struct SensorCandidate<Sensor> {
    let title: String
    /// The sensor; `nil` for a device that is ignored.
    let sensor: Sensor?
    /// How the sensor is used, or why the device is ignored.
    let reason: String
}

extension SensorWatch {
    /// Returns the sensor that is used, or why there is none; `absence` is the reason if there are no candidates.
    func source(orElse absence: String) -> SourceDescription {
        do throws(SystemError) {
            let candidates = try candidates()
            for candidate in candidates where candidate.sensor != nil {
                return .available(candidate.title + (manner.map { ", " + $0 } ?? ""))
            }
            let ignored = candidates.map { "\($0.title) \($0.reason)" }.joined(separator: "; ")
            return .unavailable(ignored.isEmpty ? absence : ignored)
        } catch {
            return .unavailable("\(error)")
        }
    }

    /// Describes the candidates with `body`, or reports why there are none.
    func examine(_ body: ([SensorCandidate<Sensor>], inout Examination) -> Void) -> Examination {
        do throws(SystemError) {
            let candidates = try candidates()
            var examination = Examination()
            body(candidates, &examination)
            return examination
        } catch {
            return Examination(advice: ["sensors cannot be listed: \(error)"])
        }
    }
}
