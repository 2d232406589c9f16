// SPDX-License-Identifier: Apache-2.0

extension SyntheticPhone {
    /// The longest sleep, a year: a longer one is probably an error.
    package static let longestSleep: Duration = .seconds(31_536_000)

    /// Lets the phone sleep, and wakes it again.
    ///
    /// As a real machine does, the phone first waits until the awake subscribers to ``/ReveilleCore/Aspect/sleep`` have
    /// read that it is about to sleep, and until all tasks have ended, for 4.5 seconds at the most. The sleep itself takes
    /// no time: `sleptFor` grows by the duration, but no clock moves, so no timer of a program or of the bus is due
    /// because of it.
    ///
    /// ```swift
    /// try phone.sleep(for: .seconds(8 * 3_600))
    /// ```
    ///
    /// - Parameter duration: The length of the sleep, up to a year.
    /// - Throws: `TestbedError` if the duration is out of range, the phone has no bus, or the bus does not answer.
    public func sleep(for duration: Duration) throws(TestbedError) {
        try sleep(for: duration) {}
    }

    /// Lets the phone sleep; `meanwhile` is called again and again, for a caller that must read the bus's events.
    package func sleep(for duration: Duration, meanwhile: () -> Void) throws(TestbedError) {
        guard duration >= .zero, duration <= Self.longestSleep else {
            throw TestbedError("the phone cannot sleep for \(duration): not from 0 to 31536000 seconds")
        }
        guard let bus = testbed.bus else { throw TestbedError("the phone cannot sleep: it has no bus") }
        try bus.sleep(for: UInt64(duration / .microseconds(1)), meanwhile: meanwhile)
    }
}
