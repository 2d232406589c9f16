// SPDX-License-Identifier: Apache-2.0

/// The mounting of a sensor, as the matrix from the sensor's axes to the display's.
///
/// The notation follows the kernel's mount-matrix document: `x1, y1, z1; x2, y2, z2; x3, y3, z3`.
package struct MountMatrix: Sendable, Hashable, CustomStringConvertible {
    private let rows: [[Double]]

    /// The matrix of a sensor that is aligned with the display.
    package static let identity = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [[Double]]) {
        self.rows = rows
    }

    /// Parses a matrix; an empty text is the identity.
    ///
    /// Fails unless there are three rows of three numbers. A row of zeros also fails, since it would lose an axis.
    package init?(_ text: String) {
        let text = SysfsText.trimmed(text)
        if text.isEmpty {
            self = .identity
            return
        }
        let rows = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { row in
            row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
                SysfsText.number(String(Substring($0)))
            }
        }
        let numbers = rows.map { $0.compactMap { $0 } }
        guard rows.count == 3, zip(rows, numbers).allSatisfy({ $0.count == 3 && $1.count == 3 }),
            numbers.allSatisfy({ $0.contains { $0 != 0 } })
        else { return nil }
        self.init(rows: numbers)
    }

    /// Converts a vector from the sensor's axes to the display's.
    package func applied(to vector: Vector) -> Vector {
        Vector(rows.map { $0[0] * vector.x + $0[1] * vector.y + $0[2] * vector.z })
    }

    /// The determinant, which is negative for a matrix that mirrors.
    package var determinant: Double {
        let (a, b, c) = (rows[0], rows[1], rows[2])
        return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    /// The matrix in the notation that ``init(_:)`` parses.
    package var description: String {
        rows.map { $0.map(\.text).joined(separator: ", ") }.joined(separator: "; ")
    }
}
