// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleSystem

extension Timestamp {
    /// The time of the wall clock now.
    public static var now: Timestamp { Timestamp(microseconds: Clocks.wall()) }
}
