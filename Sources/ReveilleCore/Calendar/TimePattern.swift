// SPDX-License-Identifier: Apache-2.0

/// Times of day that match an hour, a minute and a second, as seconds since midnight.
struct TimePattern: Sendable, Hashable {
    /// The hour; `nil` for any.
    var hour: Int?
    /// The minute; `nil` for any.
    var minute: Int?
    var second: Int

    var count: Int { (hour == nil ? 24 : 1) * hourCount }

    private var hourCount: Int { minute == nil ? 60 : 1 }

    var first: Int { (hour ?? 0) * 3_600 + firstInHour }

    private var firstInHour: Int { (minute ?? 0) * 60 + second }

    /// Returns the first time from a time on; `nil` if there is none in the rest of the day.
    func next(from time: Int) -> Int? {
        let (current, rest) = time.quotientAndRemainder(dividingBy: 3_600)
        let hour = hour ?? current
        guard hour >= current else { return nil }
        guard hour == current else { return hour * 3_600 + firstInHour }
        if let next = nextInHour(from: rest) { return hour * 3_600 + next }
        return self.hour == nil && hour < 23 ? (hour + 1) * 3_600 + firstInHour : nil
    }

    private func nextInHour(from rest: Int) -> Int? {
        let (current, seconds) = rest.quotientAndRemainder(dividingBy: 60)
        let next = (minute ?? (second >= seconds ? current : current + 1)) * 60 + second
        return next >= rest && next < 3_600 ? next : nil
    }

    func count(through time: Int) -> Int {
        let (current, rest) = time.quotientAndRemainder(dividingBy: 3_600)
        guard hour == nil || hour == current else { return current > hour ?? 0 ? hourCount : 0 }
        let (minutes, seconds) = rest.quotientAndRemainder(dividingBy: 60)
        let earlier = hour == nil ? current * hourCount : 0
        guard let minute else { return earlier + minutes + (second <= seconds ? 1 : 0) }
        return earlier + (minute * 60 + second <= rest ? 1 : 0)
    }
}
