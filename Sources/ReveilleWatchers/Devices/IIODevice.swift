// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import ReveilleSystem

/// Helps to read a sensor of the kernel's IIO subsystem.
struct IIODevice: Hashable {
    let device: UdevDevice

    /// The sensors that are there; triggers, which are of the same subsystem, are none.
    static func all() throws(SystemError) -> [IIODevice] {
        try UdevDevice.all(of: "iio").filter { $0.kind == "iio_device" }.map(IIODevice.init)
    }

    /// The path of an attribute.
    func path(_ attribute: String) -> String {
        device.path + "/" + attribute
    }

    /// An attribute's text without the white space around it; `nil` where it cannot be read.
    func text(_ attribute: String) -> String? {
        device.attribute(attribute).text.map(SysfsText.trimmed)
    }

    func has(_ attribute: String) -> Bool {
        device.attribute(attribute) != .missing
    }

    /// The name that the driver gives, else that of the kernel.
    var title: String {
        text("name").map { "\(device.name) (\($0))" } ?? device.name
    }
}
