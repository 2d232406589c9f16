// SPDX-License-Identifier: Apache-2.0

package import ReveilleFleetCore

/// The last state that a consumer has seen of each aspect of each device; store the positions to continue later.
///
/// ```swift
/// let text = events.positions.text
/// let next = try await fleet.events(resumingFrom: FleetPositions(text))
/// ```
public struct FleetPositions: Sendable, Hashable {
    /// The positions as text, one line for each device.
    public let text: String

    /// Creates positions from a ``text`` of this or an earlier version.
    ///
    /// - Throws: `FleetError` with `FleetError.Code.positions`, the number of the line and the reason.
    public init(_ text: String) throws(FleetError) {
        self.text = text
        _ = try ledger()
    }

    init(of ledger: Ledger, without inbox: FleetInbox) {
        text = PositionsFile.text(of: ledger, without: inbox)
    }

    func ledger() throws(FleetError) -> Ledger { try PositionsFile.ledger(from: text) }
}
