// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleSimulation
import ReveilleSystem

/// A disk that refuses some steps.
final class BadDisk {
    /// The steps that it refuses now.
    var refused: Set<Disk.Step> = []

    var disk: Disk { Disk { [self] in refused.contains($0) } }

    /// Refuses other steps from now on, often none.
    func change(using random: inout SplitMix64) {
        refused = []
        guard Bool.random(using: &random) else { return }
        // A record that can neither be confirmed nor removed again stays, whatever a program does.
        refused = Set(Disk.Step.allCases.filter { $0 != .truncate && Int.random(in: 0..<3, using: &random) == 0 })
    }
}
