// SPDX-License-Identifier: Apache-2.0

/// The screens of the device, and the brightness of its backlight.
public struct Display: Sendable, Hashable, Codable {
    /// A connector with a display.
    public struct Screen: Sendable, Hashable, Codable {
        /// The kernel's name of the connector: `eDP-1`, `HDMI-A-1`.
        public var name: String
        /// The width of the preferred mode in pixels.
        public var width: Int
        /// The height of the preferred mode in pixels.
        public var height: Int
        /// The width of the visible area in millimeters; `nil` if the display does not report it.
        public var widthMM: Int?
        /// The height of the visible area in millimeters; `nil` if the display does not report it.
        public var heightMM: Int?
        /// The pixels per point, as configured; `nil` if it is not configured.
        public var scale: Double?

        /// Creates the reading of a screen.
        public init(
            name: String, width: Int, height: Int, widthMM: Int? = nil, heightMM: Int? = nil, scale: Double? = nil
        ) {
            self.name = name
            self.width = width
            self.height = height
            self.widthMM = widthMM
            self.heightMM = heightMM
            self.scale = scale
        }

        /// The horizontal pixels per inch of the preferred mode; `nil` if the width of the display is unknown.
        public var dotsPerInch: Double? {
            widthMM.flatMap { $0 > 0 ? Double(width) / Double($0) * 25.4 : nil }
        }
    }

    /// The screens, sorted by name.
    public var screens: [Screen]
    /// The brightness of the first backlight from 0 to 1; `nil` without a backlight.
    public var brightness: Double?

    /// Creates a reading.
    public init(screens: [Screen], brightness: Double?) {
        self.screens = screens
        self.brightness = brightness
    }

    /// The reading of a device without screens and backlight.
    package static let unknown = Display(screens: [], brightness: nil)
}

extension Display: AspectDeclaration {
    /// The screens and the brightness: `eDP-1 1920x1080, brightness 40%`.
    public var description: String {
        var parts = screens.map { "\($0.name) \($0.width)x\($0.height)" }
        if parts.isEmpty { parts = ["no screen"] }
        if let brightness { parts.append("brightness " + (brightness.percent ?? "\(brightness)")) }
        return parts.joined(separator: ", ")
    }

    package static var traits: AspectTraits { AspectTraits(sampling: .onDemand, place: 3) }
    @usableFromInline package static var blank: Display { .unknown }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.records("screens", &screens)
        try coder.number("brightness", &brightness, in: .level)
        coder.chart(in: "%")
        coder.show(as: DashboardEntity("brightness", "Brightness", icon: "mdi:brightness-6"))
    }

    package static var mainField: String? { "brightness" }
    package static var abbreviations: String? { ", or a brightness from 0 to 1" }

    package mutating func abbreviate(_ word: String) -> Bool {
        guard let brightness = Double(word), 0...1 ~= brightness else { return false }
        self.brightness = brightness
        return true
    }
}

extension Display.Screen: Record {
    @usableFromInline package static var blank: Display.Screen { Display.Screen(name: "", width: 0, height: 0) }

    @inlinable package mutating func code<C: FieldCoder & ~Copyable & ~Escapable>(with coder: inout C) throws(C.Fault) {
        try coder.string("name", &name)
        try coder.integer("width", &width, atLeast: 0)
        coder.accepts("a number of pixels")
        try coder.integer("height", &height, atLeast: 0)
        coder.accepts("a number of pixels")
        try coder.integer("widthMM", &widthMM)
        coder.accepts("a number of millimeters, or null")
        try coder.integer("heightMM", &heightMM)
        coder.accepts("a number of millimeters, or null")
        try coder.number("scale", &scale, in: .positive)
        coder.accepts("a number above 0, or null")
    }
}
