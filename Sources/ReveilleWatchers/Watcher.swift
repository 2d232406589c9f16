// SPDX-License-Identifier: Apache-2.0

package import ReveilleCore
import ReveilleSystem

/// Reads the devices or files of one aspect, and reports readings.
///
/// Loop thread only. A watcher knows neither subscribers nor posted states.
package protocol Watcher: AnyObject {
    var aspect: BuiltInAspect { get }

    /// How closely to watch, initially `.off`; the service sets it as subscribers arrive, are held and leave.
    ///
    /// A change from off to any other pace reads and reports everything.
    var pace: Pace { get set }

    /// Reads every source now, without any delay, and reports the reading even if it is unchanged.
    ///
    /// Works at any pace; at `.off` nothing stays open afterwards. `completion` is called once, within
    /// ``Pace/sampleTimeout``.
    func refresh(then completion: @escaping () -> Void)

    /// The clock was set or the machine resumed; called before a refresh, and at any pace.
    func clockChanged()

    /// Whether the newest reading can differ from the last report while it watches closely, because it delays reports or
    /// reads rarely.
    var mayLag: Bool { get }

    /// Reads the known sources now and reports the reading, before a caller receives the state; never at the pace off.
    func update(then completion: @escaping () -> Void)

    /// The processor time in microseconds that requested readings have taken in turns of the loop after the calls.
    var laterTime: UInt64 { get }

    /// The sources that are read, or why there are none; when the watcher is off, searched for at each call.
    var source: SourceDescription { get }

    /// Reads every source once, to explain the aspect's reading to a person.
    ///
    /// Works at any pace, reports nothing, and may block for ``Pace/sampleTimeout``.
    func examine() -> Examination
}

extension Watcher {
    /// Most watchers measure the present, which does not depend on earlier sleeps.
    package func clockChanged() {}

    /// A watcher that reports every reading immediately does not lag.
    package var mayLag: Bool { false }

    /// A watcher that reads during the call, or on another thread, takes no later turns.
    package var laterTime: UInt64 { 0 }

    package func update(then completion: @escaping () -> Void) {
        refresh(then: completion)
    }
}

/// A watcher of an aspect that is sampled as often as its subscribers want.
package protocol StreamWatcher: Watcher {
    /// The time between samples while the pace is live, from ``SampleInterval``.
    var interval: Duration { get set }
}

/// An explanation of an aspect's reading for a person.
package struct Examination: Sendable, Hashable {
    package struct Finding: Sendable, Hashable {
        /// The name of a device, a file or a value.
        package var name: String
        package var value: String
    }

    package var findings: [Finding]
    package var advice: [String]
    /// Whether there is a source that gives no reading, or one that says nothing.
    package var isUnknown = false

    package init(advice: [String] = []) {
        findings = []
        self.advice = advice
    }

    /// Creates an examination by reading sources; an error becomes advice, after the words for the failed operation.
    init(orAdvice problem: String, _ read: () throws(SystemError) -> Examination) {
        do throws(SystemError) {
            self = try read()
        } catch {
            self.init(advice: ["\(problem): \(error)"])
        }
    }

    package mutating func add(_ name: String, _ value: String) {
        findings.append(Finding(name: name, value: value))
    }
}

/// How closely a watcher watches.
package enum Pace: Sendable {
    /// Reads nothing, and keeps no descriptors open.
    case off
    /// All subscribers are held: takes the kernel's events, and polls at `idleSampleInterval` at most.
    case idle
    /// A subscriber is in the foreground.
    case live

    /// The timeout for a sensor that does not answer; at 1 Hz, it blocks a read of sysfs for a second.
    package static let sampleTimeout: Duration = .seconds(1)

    /// The pauses before a device that fails is read again: a driver may be starting, or the device may be gone.
    static let retries: [Duration] = [.milliseconds(150), .seconds(1), .seconds(5)]
}

package enum SourceDescription: Sendable, Hashable {
    /// The names of the devices or files.
    case available(String)
    case unavailable(String)

    package var isAvailable: Bool { if case .available = self { true } else { false } }

    /// Describes sources that have to be found first; an error is the reason why there are none.
    init(_ find: () throws(SystemError) -> SourceDescription) {
        do throws(SystemError) {
            self = try find()
        } catch {
            self = .unavailable("\(error)")
        }
    }
}

/// The functions that a watcher reports with.
package struct WatcherContext {
    /// Takes a reading, which may equal the last reading.
    package let report: (Reading) -> Void
    /// Takes one line for the log, once while a problem lasts: the action, its object, and the reason of the failure.
    package let warn: (String) -> Void
    /// Counts a loss of events: a netlink or inotify queue was full, and everything is read again.
    package let overflowed: () -> Void

    package init(
        report: @escaping (Reading) -> Void, warn: @escaping (String) -> Void, overflowed: @escaping () -> Void
    ) {
        self.report = report
        self.warn = warn
        self.overflowed = overflowed
    }
}

extension EventLoop {
    /// Returns a function that calls a completion once: when it is first called, or after a timeout.
    func once(within timeout: Duration, _ completion: @escaping () -> Void) -> () -> Void {
        var completion: (() -> Void)? = completion
        var timer: EventSource?
        let once = {
            let end = completion
            (completion, timer) = (nil, nil)
            end?()
        }
        timer = try? self.timer(handler: once)
        timer?.fire(after: timeout)
        return once
    }
}

extension EventSource {
    /// Sets a timer to a time; stops it if there is none.
    func fire(at time: Instant?, on loop: EventLoop) {
        if let time { fire(after: time - loop.now) } else { disarm() }
    }
}

extension Loop {
    /// The time of the boot clock.
    var now: Instant { Instant(microseconds: Int64(clamping: bootClock)) }
}
