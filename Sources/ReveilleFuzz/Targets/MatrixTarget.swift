// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// Checks that a matrix survives being written and parsed, that exchanging rows changes its sign, and that every sample
/// results in a pose and a plausible motion, or in nothing.
enum MatrixTarget {
    static func check(_ bytes: [UInt8]) throws(Falsified) {
        guard let matrix = MountMatrix(String(decoding: bytes, as: UTF8.self)) else { return }
        let text = matrix.description
        try requireEqual(MountMatrix(text), matrix, "a matrix after encoding")
        let rows = text.split(separator: "; ")
        let turned = MountMatrix([rows[0], rows[2], rows[1]].joined(separator: "; "))
        if matrix.determinant.isFinite {
            try requireEqual(turned?.determinant, -matrix.determinant, "the sign after exchanging rows")
        }
        for axis in 0..<3 {
            let unit = Vector(x: axis == 0 ? 1 : 0, y: axis == 1 ? 1 : 0, z: axis == 2 ? 1 : 0)
            let column = matrix.applied(to: unit)
            try require(
                [column.x, column.y, column.z].allSatisfy(\.isFinite), "the result \(column) is finite")
            for frame in OrientationFrame.allCases {
                let sample = Vector(x: 9.8 * unit.x, y: 9.8 * unit.y, z: 9.8 * unit.z)
                let rule = MotionRule(frame, matrix: matrix, isHID: axis == 0)
                for vector in [rule.acceleration(sample), rule.rotation(sample)] {
                    try require((0...1_000).contains(vector?.length ?? 0), "the motion \(vector as Any) is plausible")
                }
                let gravity = frame.gravity(sample, matrix: matrix, isHID: axis == 0)
                var unit = GravityUnit(isStated: column.x < 0)
                for _ in 0..<3 {
                    guard let gravity = unit.gravity(gravity) else { continue }
                    try require((0.49...1.51).contains(gravity.length), "gravity \(gravity) is plausible")
                    let reading = OrientationRule.reading(at: gravity, last: .unknown)
                    try require(reading.pose != .unknown, "a reading has a pose")
                }
            }
        }
    }
}
