// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

@testable import ReveilleCore

// Values of the bus, which cannot be copied into an expectation.
extension BusDriver {
    var sampleInterval: Duration? { bus.sampleInterval(of: .motion) }
    var savedAspects: [Aspect] { bus.savedState.entries.map(\.state.aspect) }
    var savedSequence: Int { bus.savedState.sequence }
    var sequence: Int { bus.sequence }

    func mustSave(_ aspect: BuiltInAspect) -> Bool { bus.mustSaveChange(of: aspect) }
    func isPosted(_ aspect: BuiltInAspect) -> Bool { bus.isPosted(aspect) }
    func position(_ aspect: Aspect) -> (generation: Int, sequence: Int) { bus.position(of: aspect) }
    func current(_ aspect: Aspect) -> Event { bus.state(of: aspect, at: now) }
}
