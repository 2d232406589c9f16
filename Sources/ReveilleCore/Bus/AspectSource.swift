// SPDX-License-Identifier: Apache-2.0

/// The source that a bus reads an aspect from.
public struct AspectSource: Sendable, Hashable {
    /// The aspect.
    public let aspect: Aspect
    /// Whether this device has a source for the aspect.
    public let isAvailable: Bool
    /// Whether the source is being watched now.
    public let isMonitored: Bool
    /// The device or file that is read, or the reason why there is none.
    public let text: String

    package init(aspect: Aspect, isAvailable: Bool, isMonitored: Bool, text: String) {
        self.aspect = aspect
        self.isAvailable = isAvailable
        self.isMonitored = isMonitored
        self.text = text
    }
}
