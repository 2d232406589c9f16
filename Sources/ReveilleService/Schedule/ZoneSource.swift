// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleWatchers

/// The rules of time zones by their names, and notice of their changes.
///
/// Loop thread only.
package protocol ZoneSource: AnyObject {
    /// Returns the rules of a zone, and watches it for changes until ``stop()``.
    ///
    /// - Parameter name: A name of the tz database, or `local` for the device's zone.
    /// - Returns: The rules.
    /// - Throws: `ZoneError` with the reason.
    func rules(of name: String) throws(ZoneError) -> TimeZoneRules

    /// Watches a zone without rules; ``changed`` is called as soon as it has some.
    func wait(for name: String)

    /// Called with the name of a watched zone whose rules have changed.
    var changed: (String) -> Void { get set }

    /// Ends all watches.
    func stop()
}

extension ZoneFiles: ZoneSource {}
