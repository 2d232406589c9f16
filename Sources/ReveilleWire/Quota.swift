// SPDX-License-Identifier: Apache-2.0

package import Varlink

/// Limits on what one user, one call or all users may have at a time, so that there is enough for others.
package enum Quota: String {
    case connections, aspects, names, value, entries, tasks, storage

    package func check(_ count: Int, atMost limit: Int) throws(CallError) {
        guard count <= limit else { throw .quotaExceeded(self, limit: limit) }
    }
}
