// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleHost
import ReveilleSystem

/// The sleep of a phone: its own login manager and its own time asleep, in the process of its bus.
final class PhoneSleep: MachineSleep {
    /// How long the phone waits for programs, in microseconds; as long as login managers do.
    private static let longestDelay: UInt64 = 5_000_000

    let interests = SleepInterests()
    var announced: (UInt64?) -> Void = { _ in }
    private(set) var timeAsleep: UInt64 = 0
    var source: String { "the phone" }
    var isDelayed: Bool { next != nil }
    /// The length in microseconds of the sleep that is prepared, and its completion.
    private var next: (length: UInt64, completion: () -> Void)?
    private let later: DeferredCalls

    init(loop: EventLoop) { later = DeferredCalls(loop: loop) }

    func ask(then completion: @escaping (Bool?) -> Void) { completion(next != nil) }

    /// Announces a sleep, and sleeps as soon as the bus lets it.
    func sleep(for length: UInt64, then completion: @escaping () -> Void) {
        next = (length, completion)
        announced(Self.longestDelay)
        interests.notify(isPreparing: true)
    }

    func letSleep() {
        // The bus is in the middle of the announcement.
        later.add { [weak self] in self?.wake() }
    }

    private func wake() {
        guard let (length, completion) = next else { return }
        next = nil
        timeAsleep += length
        announced(nil)
        interests.notify(isPreparing: false)
        completion()
    }
}
