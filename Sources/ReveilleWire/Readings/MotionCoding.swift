// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Varlink

/// The interface's structure `Motion`.
extension Motion: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.acceleration, acceleration)
        fields.add(.rotation, rotation)
        fields.add(.takenAt, Int(takenAt.microseconds))
    }

    init(_ fields: borrowing Fields) throws(CallError) {
        self.init(
            acceleration: try Motion.vector(.acceleration, in: fields),
            rotation: try Motion.vector(.rotation, in: fields),
            takenAt: Timestamp(microseconds: Int64(try fields.integer(.takenAt))))
    }

    private static func vector(_ name: FieldName, in fields: borrowing Fields) throws(CallError) -> Vector? {
        guard let vector = try fields.optionalStructure(name) else { return nil }
        return Vector(x: try vector.number(.x), y: try vector.number(.y), z: try vector.number(.z))
    }
}

/// The interface's structure `Vector`.
extension Motion.Vector: WireStructure {
    func write(to fields: inout (some FieldWriter & ~Copyable & ~Escapable)) {
        fields.add(.x, x)
        fields.add(.y, y)
        fields.add(.z, z)
    }
}
