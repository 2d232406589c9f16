// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// Messages on stderr.
enum Notes {
    static func write(_ message: String) {
        let line = Array("reveille-sensor-proxy: \(message)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, line, line.count)
    }
}
