// SPDX-License-Identifier: Apache-2.0

package import Varlink

extension BatterySample {
    /// Creates the sample of an event; `nil` for an event of another aspect, and for the first state of a
    /// device without a battery.
    package init?(_ event: JSON, isStart: Bool) {
        guard let event = event.objectValue, event["aspect"] == "battery", let battery = event["battery"]?.objectValue,
            let state = battery["state"]?.stringValue, let time = event["changedAt"]?.integerValue
        else { return nil }
        let level = battery["level"]?.numberValue
        let changes = Int(clamping: event["changes"]?.integerValue ?? 0)
        // A battery that was removed is an unknown state that ends the line.
        guard level != nil || state != "unknown" || changes > 0 else { return nil }
        self.init(time: time / 1_000_000, level: level, state: state, changes: changes, isStart: isStart)
    }
}
