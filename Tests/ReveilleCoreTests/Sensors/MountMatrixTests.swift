// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleCore
import Testing

@Suite struct MountMatrixTests {
    @Test func matrixIsRowsTimesVector() throws {
        let matrix = try #require(MountMatrix("0, -1, 0; -1, 0, 0; 0, 0, 1\n"))
        #expect(matrix.applied(to: Vector(x: 8, y: 521, z: -67)) == Vector(x: -521, y: -8, z: -67))
        #expect(matrix.description == "0, -1, 0; -1, 0, 0; 0, 0, 1")
    }

    @Test(arguments: ["1e190, 0, 1; 0, 1, 0; 0, 0, -0.5", "9223372036854775808, 0, 0; 0, 1, 0; 0, 0, 1"])
    func matrixOfAnyNumbersIsWrittenAndReadBack(text: String) throws {
        let matrix = try #require(MountMatrix(text))
        #expect(MountMatrix(matrix.description) == matrix)
    }

    @Test func emptyMatrixIsTheIdentity() {
        #expect(MountMatrix("") == .identity)
        #expect(MountMatrix(" \n") == .identity)
    }

    @Test(
        arguments: [
            "0, 1, 0; 1, 0, 0; 0, 0, 0", "1, 0, 0; 0, 1, 0", "1, 0; 0, 1", "1, 0, 0; 0, 1, 0; 0, 0, x",
            "nan, 0, 0; 0, 1, 0; 0, 0, 1",
            "1, 0, 0; 0, 1, 0; 0, 0, 1; 1, 1, 1", "1, 0, 0, 0; 0, 1, 0; 0, 0, 1", ";;",
        ])
    func invalidMatrixIsRefused(text: String) {
        #expect(MountMatrix(text) == nil)
    }
}
