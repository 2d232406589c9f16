// SPDX-License-Identifier: Apache-2.0

extension SyntheticPhone {
    /// Sets the brightness of the backlight, as its driver does.
    ///
    /// ```swift
    /// try phone.setBrightness(0.4)
    /// ```
    ///
    /// - Parameter level: The brightness from 0 to 1, rounded to whole percent.
    /// - Throws: `TestbedError` if the level is out of range.
    public func setBrightness(_ level: Double) throws(TestbedError) {
        guard (0...1).contains(level) else { throw TestbedError("brightness \(level) must be between 0 and 1") }
        let value = "\(Int((level * 100).rounded()))"
        try backlight.change(["brightness": value, "actual_brightness": value])
    }
}

extension SyntheticPart {
    static func screen(_ testbed: Testbed, connector: String, mode: String) -> SyntheticPart {
        SyntheticPart(
            testbed, subsystem: "drm", name: "card0-" + connector,
            attributes: ["status": "connected", "modes": mode], type: ("DEVTYPE", "drm_connector"))
    }

    static func backlight(_ testbed: Testbed) -> SyntheticPart {
        SyntheticPart(
            testbed, subsystem: "backlight", name: "panel",
            attributes: ["brightness": "50", "actual_brightness": "50", "max_brightness": "100", "type": "raw"],
            type: ("SOURCE", "sysfs"))
    }
}
