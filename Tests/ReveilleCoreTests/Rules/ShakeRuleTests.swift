// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite struct ShakeRuleTests {
    private var rule = ShakeRule()
    private var now = Instant(microseconds: 1_000_000)

    /// Takes samples of a length for some time, and returns the shakes.
    private mutating func pass(_ seconds: Double, at rate: Double, _ length: Double) -> [Shake] {
        var shakes: [Shake] = []
        for _ in 0..<Int((seconds * rate).rounded()) {
            now = now + .seconds(1 / rate)
            if let shake = rule.take(length, at: now) { shakes.append(shake) }
        }
        return shakes
    }

    @Test("B145: 0.6 s of 2 g at 50 Hz are one shake, with its peak") mutating func shakeIsRecognized() {
        #expect(pass(1, at: 20, 1).isEmpty)
        #expect(pass(0.6, at: 50, 2) == [Shake(peak: 2)])
        #expect(pass(1, at: 50, 1).isEmpty)
    }

    @Test("B146: rest, slow turns, a tap of 40 ms and a free fall are not shakes") mutating func othersAreNoShakes() {
        #expect(pass(5, at: 50, 1).isEmpty)
        for step in 0..<50 { #expect(pass(0.1, at: 50, 1 + Double(step % 5) / 20).isEmpty) }
        #expect(pass(0.04, at: 50, 4).isEmpty)
        #expect(pass(1, at: 50, 1).isEmpty)
        #expect(pass(2, at: 50, 0).isEmpty)
    }

    @Test("B147: 5 s of shaking are at most 5 shakes") mutating func shakesAreApart() {
        let count = pass(5, at: 50, 2).count
        #expect((4...5).contains(count))
    }

    @Test("B145: a shake in both directions is recognized at rest too, where samples are fewer")
    mutating func shakeBeginsAtRest() {
        _ = pass(1, at: 20, 1)
        #expect(pass(0.6, at: 20, 1.9).count == 1)
    }

    @Test("B150: a sensor with 12 samples a second is too slow by its rate") mutating func slowSensor() {
        #expect(pass(5, at: 12, 3).isEmpty)
        #expect(abs((rule.rate ?? 0) - 12) < 1)
        #expect(ShakeRule.lowestRate > 12)
    }

    @Test("at rest 20 samples a second are enough, and 50 while the device moves") mutating func intervals() {
        _ = pass(1, at: 20, 1)
        #expect(rule.interval(at: now) == .milliseconds(50))
        _ = pass(0.02, at: 50, 1.5)
        #expect(rule.interval(at: now) == .milliseconds(20))
        _ = pass(1.1, at: 50, 1)
        #expect(rule.interval(at: now) == .milliseconds(50))
    }

    @Test("B152: a rule that begins anew has no part of an earlier shake") mutating func resetCancels() {
        _ = pass(0.2, at: 50, 2)
        rule = ShakeRule()
        #expect(pass(0.2, at: 50, 2).isEmpty)
    }

    @Test(arguments: [Double.nan, .infinity, 1e300, -1]) mutating func hostileLengthsDoNotTrap(length: Double) {
        _ = pass(3, at: 50, length)
        #expect(pass(1, at: 50, 1).isEmpty)
    }

    @Test("a pause between samples is not part of a shake") mutating func pausesAreForgotten() {
        _ = pass(0.2, at: 50, 2)
        now = now + .seconds(1_000_000)
        #expect(pass(0.2, at: 50, 2).isEmpty)
    }
}
