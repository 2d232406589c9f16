// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
package import ReveilleWatchers

/// The rules of time zones by their names, and notice of their changes; loop thread only.
package protocol ZoneSource: AnyObject {
    /// Returns the rules of a zone, which is watched until ``stop()``; `local` is the device's zone.
    func rules(of name: String) throws(ZoneError) -> TimeZoneRules

    /// Watches a zone without rules; ``changed`` is called as soon as it has some.
    func wait(for name: String)

    /// Called with the name of a watched zone whose rules have changed.
    var changed: (String) -> Void { get set }

    func stop()
}

extension ZoneFiles: ZoneSource {}
