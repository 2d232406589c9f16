// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

/// A sensor of the kernel's IIO subsystem.
struct IIODevice: Hashable {
    let device: UdevDevice

    /// Returns all sensors, without the triggers of the same subsystem.
    static func all() throws(SystemError) -> [IIODevice] {
        try UdevDevice.all(of: "iio").filter { $0.kind == "iio_device" }.map(IIODevice.init)
    }

    /// Returns the path of an attribute.
    func path(_ attribute: String) -> String {
        device.path + "/" + attribute
    }

    /// Returns the trimmed text of an attribute; `nil` if it cannot be read.
    func text(_ attribute: String) -> String? {
        device.attribute(attribute).text.map(SysfsText.trimmed)
    }

    /// Returns whether an attribute exists, without reading it, since measuring a value may take seconds.
    func has(_ attribute: String) -> Bool {
        device.has(attribute)
    }

    /// The kernel's name, with the driver's in parentheses.
    var title: String {
        text("name").map { "\(device.name) (\($0))" } ?? device.name
    }
}
