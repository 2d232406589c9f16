// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// The duration in seconds, exact if they are whole.
    ///
    /// Dividing by a second is not: it returns 9900.000000000002 for 9,900 seconds.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
