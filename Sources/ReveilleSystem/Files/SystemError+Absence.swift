// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

extension SystemError {
    /// The path leads to nothing: no such name, or a file where a directory should be.
    package var isAbsence: Bool {
        code == ENOENT || code == ENOTDIR
    }
}
