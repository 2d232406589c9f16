// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleFleetCore

/// The last state that a consumer has seen of each aspect of each device: store it to continue from there later.
///
/// ```swift
/// let text = events.positions.text
/// let next = try await fleet.events(resumingFrom: FleetPositions(text))
/// ```
public struct FleetPositions: Sendable, Hashable {
    /// The positions as text, one line for each device.
    public let text: String

    /// Creates positions from text that ``text`` returned, of this or an earlier version.
    ///
    /// - Throws: `FleetError` with `FleetError.Code.positions`, the number of the line and the reason.
    public init(_ text: String) throws(FleetError) {
        self.text = text
        _ = try ledger(within: FleetInterest())
    }

    /// Copies the positions of a ledger that the consumer of an inbox has seen.
    init(of ledger: Ledger, without inbox: FleetInbox) {
        var bytes: [UInt8] = []
        PositionsFile.write(ledger, without: inbox) { bytes += $0 }
        text = String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a ledger that continues from the positions of interest.
    func ledger(within interest: FleetInterest) throws(FleetError) -> Ledger {
        var all = Ledger()
        var decoder = PositionsDecoder()
        try decoder.decode(Array(text.utf8), into: &all)
        try decoder.finish()
        guard !interest.isEverything else { return all }
        var wanted = Ledger()
        all.forEachDevice { device, positions in
            guard interest.contains(device) else { return }
            for (aspect, position) in positions where interest.contains(aspect: aspect) {
                // What fits into one ledger fits into another.
                _ = wanted.resume(position, of: aspect, of: device)
            }
        }
        return wanted
    }
}
