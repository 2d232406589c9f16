// SPDX-License-Identifier: Apache-2.0

/// How a dashboard, such as Home Assistant, shows a field.
@usableFromInline
package struct DashboardEntity: Sendable {
    /// The name of the entity, which is unique in the device.
    package let key: String
    package let title: String
    /// The quantity in the words of Home Assistant, which calls it the device class.
    package let quantity: String?
    package let unit: String?
    /// The number of decimal places to show.
    package let digits: Int
    /// The word that means "on", for a field that has two states in addition to `unknown`.
    package let on: String?
    /// An icon, for a field without a quantity.
    package let icon: String?
    /// Whether the entity is for those who look for the cause of a problem.
    package let isDiagnostic: Bool

    @usableFromInline
    package init(
        _ key: String, _ title: String, quantity: String? = nil, unit: String? = nil, digits: Int = 0,
        on: String? = nil, icon: String? = nil, isDiagnostic: Bool = false
    ) {
        self.key = key
        self.title = title
        self.quantity = quantity
        self.unit = unit
        self.digits = digits
        self.on = on
        self.icon = icon
        self.isDiagnostic = isDiagnostic
    }
}
