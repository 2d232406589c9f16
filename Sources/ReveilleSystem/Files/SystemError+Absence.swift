// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

extension SystemError {
    /// Whether the path does not exist, including paths with a file in the place of a directory.
    package var isAbsence: Bool {
        code == ENOENT || code == ENOTDIR
    }
}
