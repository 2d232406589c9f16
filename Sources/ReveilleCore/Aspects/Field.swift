// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// A field of a record: its name, and how it is shown.
///
/// It consists of constants. They disappear from the code of coders that do not use them.
@usableFromInline
package struct Field: Sendable, ExpressibleByStringLiteral {
    /// The name.
    @usableFromInline package let name: StaticString
    /// The values that the field accepts, in words; `nil` if its type says enough.
    @usableFromInline package let accepted: StaticString?
    /// The unit that charts show after the field's number; `nil` for a field that charts do not show.
    @usableFromInline package let chartUnit: StaticString?
    /// How a dashboard shows the field; `nil` for a field that it does not show.
    @usableFromInline package let entity: DashboardEntity?

    /// Creates a field.
    @inlinable
    @inline(__always)
    package init(
        _ name: StaticString, accepted: StaticString? = nil, chartUnit: StaticString? = nil,
        entity: DashboardEntity? = nil
    ) {
        self.name = name
        self.accepted = accepted
        self.chartUnit = chartUnit
        self.entity = entity
    }

    /// Creates a field that is not shown.
    @inlinable
    @inline(__always)
    package init(stringLiteral name: StaticString) {
        self.init(name)
    }
}

/// How a dashboard, such as Home Assistant, shows a field.
@usableFromInline
package struct DashboardEntity: Sendable {
    /// The name of the entity, which is unique in the device.
    @usableFromInline package let key: StaticString
    /// The title.
    @usableFromInline package let title: StaticString
    /// The quantity, as a device class of Home Assistant.
    @usableFromInline package let quantity: StaticString?
    /// The unit of a number.
    @usableFromInline package let unit: StaticString?
    /// The number of decimal places to show.
    @usableFromInline package let digits: Int
    /// The word that means "on", for a field that has two states in addition to `unknown`.
    @usableFromInline package let on: StaticString?
    /// An icon, for a field without a quantity.
    @usableFromInline package let icon: StaticString?
    /// Whether the entity is meant for finding the cause of a problem.
    @usableFromInline package let isDiagnostic: Bool

    /// Creates an entity.
    @inlinable
    @inline(__always)
    package init(
        _ key: StaticString, _ title: StaticString, quantity: StaticString? = nil, unit: StaticString? = nil,
        digits: Int = 0, on: StaticString? = nil, icon: StaticString? = nil, isDiagnostic: Bool = false
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

/// The numbers that a field can have.
@usableFromInline
package enum NumberRange: Sendable {
    /// All numbers.
    case any
    /// 0 and more.
    case notNegative
    /// More than 0.
    case positive
    /// From 0 to 1.
    case level

    /// Returns whether a number is in the range.
    @inlinable
    @inline(__always)
    package func contains(_ number: Double) -> Bool {
        switch self {
        case .any: true
        case .notNegative: number >= 0
        case .positive: number > 0
        case .level: 0...1 ~= number
        }
    }
}
