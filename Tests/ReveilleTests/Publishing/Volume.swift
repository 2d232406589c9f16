// SPDX-License-Identifier: Apache-2.0

import Reveille

/// A state that a program publishes.
struct Volume: Codable, Hashable {
    static let name: Aspect = "org.example.volume"

    var level: Double
    var isMuted = false
}

extension PublishedName where Value == Volume {
    static var volume: Self { Self(Volume.name) }
}
