// SPDX-License-Identifier: Apache-2.0

import ReveilleLocationCore
import ReveilleSimulation
import Varlink

/// Checks that fixes do not depend on how the stream is split into reads, and that each location is on Earth.
///
/// The first byte is the position of the split, and the rest follows gpsd's greeting.
enum GPSDTarget {
    private static let greeting = Array(#"{"class":"VERSION","proto_major":3}"#.utf8) + [UInt8(ascii: "\n")]

    private struct Outcome: Equatable {
        var fixes: [Fix] = []
        var error: GPSDError?
    }

    static func check(_ bytes: [UInt8]) throws(Broken) {
        var input = FuzzInput(bytes)
        let cut = input.byte()
        let stream = Array(input.rest)
        let outcome = outcome([stream])
        let parts = self.outcome([Array(stream.prefix(cut)), Array(stream.dropFirst(cut))])
        try requireEqual(parts.error, outcome.error, "the error after two reads and after one")
        // A read that ends in an error yields no fixes, so the first of two reads may yield more.
        if outcome.error == nil { try requireEqual(parts.fixes, outcome.fixes, "the fixes of two reads and of one") }
        var track = Track(threshold: 0)
        for fix in parts.fixes {
            guard let location = track.take(fix, from: nil, at: .now) else { continue }
            try require((-90...90).contains(location.fix.latitude), "a latitude, not \(location.fix.latitude)")
            try require((-180...180).contains(location.fix.longitude), "a longitude, not \(location.fix.longitude)")
            try require(location.distance >= 0 && location.distance.isFinite, "a distance, not \(location.distance)")
            let members = (try? JSON(encoding: location))?.objectValue?.members.count
            try requireEqual(members, 10, "the number of members of a location")
        }
    }

    private static func outcome(_ reads: [[UInt8]]) -> Outcome {
        var session = Session()
        var outcome = Outcome()
        do throws(GPSDError) {
            _ = try session.receive(greeting)
            for read in reads { outcome.fixes += try session.receive(read).map(\.fix) }
        } catch {
            outcome.error = error
        }
        return outcome
    }
}
