// SPDX-License-Identifier: Apache-2.0

extension Device {
    /// The version of this library, and of the programs and packages that are built with it.
    public static let libraryVersion = "0.9.0"
}
