// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// The rules of time zones by their names, and notice of their changes.
///
/// Loop thread only.
package protocol ZoneSource: AnyObject {
    /// Returns the rules of a zone, and watches it for changes until ``stop()``.
    ///
    /// - Parameter name: A name of the tz database, or `local` for the device's zone.
    /// - Throws: `ZoneSourceError` with the reason.
    func rules(of name: String) throws(ZoneSourceError) -> TimeZoneRules

    /// Watches a zone without rules; ``changed`` is called as soon as it has some.
    func wait(for name: String)

    /// Called with the name of a watched zone that has other rules now.
    var changed: (String) -> Void { get set }

    /// Ends all watches.
    func stop()
}

/// The reason why the rules of a zone are unknown.
package struct ZoneSourceError: Error, Hashable, CustomStringConvertible {
    /// The problem, on one line.
    package let description: String

    /// Creates an error.
    package init(_ description: String) {
        self.description = description
    }
}
