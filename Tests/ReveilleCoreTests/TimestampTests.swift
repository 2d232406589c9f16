// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct TimestampTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000Z"), (1_709_251_199_000_001, "2024-02-29T23:59:59.000001Z"),
        (-1, "1969-12-31T23:59:59.999999Z"), (Int64.max, "294247-01-10T04:00:54.775807Z"),
        (Int64.min, "-290308-12-21T19:59:05.224192Z"),
    ])
    func momentIsWrittenAsISO8601(_ moment: (microseconds: Int64, text: String)) {
        #expect("\(Timestamp(microseconds: moment.microseconds))" == moment.text)
    }

    @Test func arithmeticEndsAtTheFirstAndLastMoment() {
        let moment = Timestamp(microseconds: 5)
        #expect(moment + .seconds(2) - .microseconds(5) == Timestamp(microseconds: 2_000_000))
        #expect(moment - (moment + .seconds(2)) == .seconds(-2))
        #expect(moment + .seconds(Int64.max) == Timestamp(microseconds: .max))
        #expect(Timestamp(microseconds: .min) - .microseconds(1) == Timestamp(microseconds: .min))
        let span = Timestamp(microseconds: .max) - Timestamp(microseconds: .min)
        #expect(span > .seconds(18_000_000_000_000))
    }
}
