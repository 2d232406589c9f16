// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSimulation
import Testing

/// Samples of gravity, knocks, falls, garbage and wrong scales.
@Suite struct GravityUnitTests {
    private func gravity(_ samples: [Double], of unit: inout GravityUnit) -> [Double?] {
        samples.map { unit.gravity(Vector(x: 0, y: $0, z: 0))?.y }
    }

    @Test("a sample that is too long or too short for gravity is ignored", arguments: [34, 1.6, 0.4, 0.01, 0, -7])
    func outlierIsIgnored(length: Double) {
        var unit = GravityUnit(isStated: true)
        #expect(gravity([-1, length, -1, length, -1], of: &unit) == [-1, nil, -1, nil, -1])
        #expect(!unit.isWrong)
    }

    @Test("three samples of one implausible length show that the scale is wrong", arguments: [3.9, 0.1, 1e-9, 1e12])
    func constantLengthIsAWrongScale(length: Double) {
        var unit = GravityUnit(isStated: true)
        #expect(gravity([length, length * 1.05], of: &unit) == [nil, nil])
        #expect(unit.isInDoubt && !unit.isWrong)
        #expect(gravity([length], of: &unit) == [1])
        #expect(unit.isWrong && !unit.isInDoubt)
        #expect(
            gravity([length * 1.4, length * 0.6, length * 20, -length], of: &unit).map { $0 == nil } == [
                false, false, true, false,
            ])
    }

    @Test(
        "samples that do not fit a proved scale say nothing, however often they are repeated", arguments: [true, false])
    func repeatedGarbageIsNotAScale(isStated: Bool) {
        var unit = GravityUnit(isStated: isStated)
        #expect(
            gravity([-1, -1, -1] + Array(repeating: 34, count: 100) + [-1], of: &unit).compactMap { $0 } == [
                -1, -1, -1, -1,
            ])
    }

    @Test("garbage of one length and several directions does not prove a scale") func directionsHaveToAgree() {
        var unit = GravityUnit(isStated: true)
        #expect(gravity([34, -34, 34, -34, 34], of: &unit).allSatisfy { $0 == nil })
        #expect(gravity([-1], of: &unit) == [-1])
    }

    @Test("samples of different implausible lengths are knocks") func knocksAreNotAScale() {
        var unit = GravityUnit(isStated: true)
        let samples = (0..<100).map { 2 + Double($0 % 4) }
        #expect(gravity(samples, of: &unit).allSatisfy { $0 == nil })
    }

    @Test("free fall is not a scale, and leaves the unit unchanged", arguments: [true, false])
    func zerosHaveNoDirection(isStated: Bool) {
        var unit = GravityUnit(isStated: isStated)
        #expect(gravity([0, 0, 0, 0], of: &unit) == [nil, nil, nil, nil])
        #expect(!unit.isInDoubt)
        #expect(gravity([1], of: &unit) == [1])
    }

    @Test("without a scale, the first sample determines the unit, and later outliers are ignored")
    func unknownScaleIsMeasured() {
        var unit = GravityUnit(isStated: false)
        #expect(gravity([-1_000, -1_000, 34_000, 500, 100], of: &unit) == [-1, -1, nil, 0.5, nil])
        #expect(unit.length == 1_000)
    }

    @Test("a first sample that was an outlier is corrected by three others") func firstOutlierIsCorrected() {
        var unit = GravityUnit(isStated: false)
        #expect(gravity([34, 1, 1, 1, 1], of: &unit) == [1, nil, nil, 1, 1])
        var stated = GravityUnit(isStated: true)
        _ = gravity([7, 7, 7], of: &stated)
        #expect(gravity([1, 1, 1], of: &stated) == [nil, nil, 1])
        #expect(!stated.isWrong)
    }

    @Test("numbers beyond all measure are ignored", arguments: [Double.nan, .infinity, 1e200, -1e308, 1e-200])
    func immeasurableSamplesAreIgnored(value: Double) {
        for isStated in [true, false] {
            var unit = GravityUnit(isStated: isStated)
            #expect(gravity([value, value, value, value], of: &unit) == [nil, nil, nil, nil])
            #expect(gravity([1], of: &unit) == [1])
        }
    }

    @Test("every result is between half and one and a half g", arguments: 0..<20)
    func resultsArePlausible(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var unit = GravityUnit(isStated: seed % 2 == 0)
        for _ in 0..<1_000 {
            let size = [1e-6, 0.1, 1, 1, 1, 34, 1e9][Int(random.next() % 7)]
            let sample = Vector(
                x: size * (Double(random.next() % 200) / 100 - 1), y: size * (Double(random.next() % 200) / 100 - 1),
                z: size)
            guard let gravity = unit.gravity(sample) else { continue }
            #expect((0.499...1.501).contains(gravity.length))
        }
    }
}
