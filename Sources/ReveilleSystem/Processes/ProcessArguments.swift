// SPDX-License-Identifier: Apache-2.0

import CReveilleLinux
import Glibc

/// The arguments that this process was started with.
///
/// `CommandLine` searches `/proc/self/maps` for them, and has none where that cannot be read. These are the arguments
/// that the dynamic loader passes to `main`.
package enum ProcessArguments {
    /// The name of the program and its arguments; bytes that are not UTF-8 are replaced.
    package static var all: [String] {
        (0..<count).map { vector?[$0].map { String(cString: $0) } ?? "" }
    }

    /// The number of ``all``.
    static var count: Int { Int(c_reveille_argument_count()) }

    /// The bytes of ``all`` as they were given, followed by `nil`.
    static var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? { c_reveille_arguments() }
}
