// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct OrientationFrameTests {
    private static let g = OrientationFrame.standardGravity

    @Test func frameDeterminesTheDirectionOfGravity() {
        let sample = Vector(x: 0, y: -Self.g, z: -Self.g)
        func gravity(_ frame: OrientationFrame, _ matrix: MountMatrix = .identity, isHID: Bool = false) -> Vector {
            frame.gravity(sample, matrix: matrix, isHID: isHID)
        }
        #expect(gravity(.hid) == Vector(x: 0, y: -1, z: -1))
        #expect(gravity(.iioDocument) == Vector(x: 0, y: 1, z: 1))
        #expect(gravity(.auto).z == 1)
        #expect(gravity(.auto, isHID: true).z == -1)
    }

    @Test func autoFrameInvertsZForAMatrixThatMirrors() throws {
        let mirror = try #require(MountMatrix("1, 0, 0; 0, -1, 0; 0, 0, 1"))
        #expect(mirror.determinant == -1)
        let sample = Vector(x: 0, y: Self.g, z: Self.g)
        #expect(OrientationFrame.auto.gravity(sample, matrix: mirror, isHID: false).z == 1)
        #expect(OrientationFrame.auto.gravity(sample, matrix: mirror, isHID: true).z == -1)
    }

    // MARK: - Mount matrices

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
