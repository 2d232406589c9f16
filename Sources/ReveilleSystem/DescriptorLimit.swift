// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// The limit of open descriptors of this process, and those that are kept back from peers.
///
/// A connection can wait. A battery that cannot be read because connections have used up all descriptors is unknown to
/// everybody.
package enum DescriptorLimit {
    /// How many are kept back for devices, files and the saved state: listing the power supplies, reading a sensor's
    /// buffer and a settings file and writing the state take a dozen together.
    package static let reserve: Int32 = 32
    /// The share of a small limit that is kept back at most: one in so many.
    private static let smallestShare: Int32 = 6

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

    /// Whether a descriptor is one of those kept back, to be given back at once by what serves peers.
    ///
    /// The kernel gives the lowest number that is free: one near the limit says that few are left.
    package static func isKeptBack(_ number: Int32) -> Bool {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
        let most = Int32(clamping: limit.rlim_cur)
        return number >= most - min(reserve, most / smallestShare)
    }

    /// Whether there is a descriptor that is not kept back.
    ///
    /// - Parameter descriptor: Any that is open.
    /// - Returns: False where the next one that is opened would be one of those.
    package static func hasRoom(beside descriptor: Int32) -> Bool {
        let number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { return false }
        close(number)
        return !isKeptBack(number)
    }
}
