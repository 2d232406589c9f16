// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum UserDatabase {
    /// The first and the largest size of the buffer for an entry in bytes; a usual entry is shorter than the first.
    private static let bufferSizes = 1_024...1_048_576

    /// Returns the number of the real user of a process, or `nil` if the process has ended or is not visible.
    package static func owner(ofProcess process: Int32) -> UInt32? {
        let status = FileContents.read("/proc/\(process)/status", limit: longestStatus).text
        // The numbers of the real, effective, saved and file system user.
        let prefix = "Uid:\t"
        let line = status?.split(separator: "\n").first { $0.hasPrefix(prefix) }
        return line?.dropFirst(prefix.count).split(separator: "\t").first.flatMap { UInt32($0) }
    }

    /// The size of the status of a process, whose usual length is a kilobyte and a half.
    private static let longestStatus = 65_536

    /// Returns the number of a user, or `nil` if there is none; the services in nsswitch.conf may use the network.
    package static func number(of name: String) throws(SystemError) -> UInt32? {
        var size = bufferSizes.lowerBound
        while true {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: size)
            let code = getpwnam_r(name, &entry, &buffer, buffer.count, &found)
            switch code {
            case 0: return found == nil ? nil : entry.pw_uid
            // Services report an unknown name in any of these ways.
            case ENOENT, ESRCH, EBADF, EPERM: return nil
            case ERANGE where size < bufferSizes.upperBound: size *= 4
            case EINTR: continue
            default: throw SystemError("getpwnam", on: name, code: code)
            }
        }
    }
}
