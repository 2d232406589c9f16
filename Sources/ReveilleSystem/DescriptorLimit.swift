// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The limit of open descriptors of this process.
package enum DescriptorLimit {
    /// Raises it as far as this user may: the usual 1024 are fewer than the connections that a bus takes.
    ///
    /// - Returns: The limit now.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }
}
