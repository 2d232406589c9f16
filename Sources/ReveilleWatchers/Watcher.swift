// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

package import ReveilleCore

/// Turns what one aspect's devices or files say into readings.
///
/// Loop thread only. It does not decide who is told, nor compare with what was posted by others.
package protocol Watcher: AnyObject {
    /// What the readings are of.
    var aspect: Aspect { get }

    /// How closely to watch; set by the service as subscribers come, sleep and go. It starts as `.off`.
    ///
    /// Going from off to any other pace reads everything; what was read is reported.
    var pace: Pace { get set }

    /// Reads every source again now, waits for no settling and no interval, reports what was read (also
    /// when it is what was reported before), then calls back: once, and within ``Pace/sampleTimeout``.
    ///
    /// Works at any pace; at `.off` it reads once and goes on with nothing.
    func refresh(then completion: @escaping () -> Void)

    /// What is read, or why nothing can be; looks for sources anew when the watcher is off.
    var source: SourceDescription { get }

    /// Looks at every source once, for a person who asks why the aspect reads as it does.
    ///
    /// Works at any pace, reports nothing, and may block for ``Pace/sampleTimeout``.
    func examine() -> Examination
}

/// What a person is told of an aspect's sources.
package struct Examination: Sendable, Hashable {
    /// One thing that was found: a name and what was read there.
    package struct Finding: Sendable, Hashable {
        /// What was looked at.
        package var name: String
        /// What it says.
        package var value: String

        /// Makes a finding of its parts.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What was found, in the order of reading.
    package var findings: [Finding]
    /// What the person can do about what is missing or wrong; empty when all is well.
    package var advice: [String]

    /// Makes an examination of its parts.
    package init(findings: [Finding] = [], advice: [String] = []) {
        self.findings = findings
        self.advice = advice
    }
}

/// How closely a watcher watches.
package enum Pace: Sendable {
    /// Reads nothing and holds no descriptors.
    case off
    /// Somebody may wake soon: notices what the kernel tells, polls at `idleSampleInterval` at most.
    case idle
    /// Somebody is in the foreground.
    case live

    /// How long a reader waits for a sensor that does not answer.
    ///
    /// A sensor at 1 Hz blocks a read of sysfs for a second.
    package static let sampleTimeout: Duration = .seconds(1)
}

/// What an aspect is read from.
package enum SourceDescription: Sendable, Hashable {
    /// There is a source: a device or files, by name.
    case available(String)
    /// There is none, and why.
    case unavailable(String)
}

/// What a watcher needs of the service.
package struct WatcherContext {
    /// Takes a reading; equal readings may be reported again and again.
    package let report: (Reading) -> Void
    /// Takes one line for the log: what was tried, on what, and why it failed.
    ///
    /// Each problem is told once until it is over.
    package let warn: (String) -> Void
    /// Counts a loss: a full netlink or inotify queue that ended in reading everything again.
    package let overflowed: () -> Void

    /// Makes a context of its three functions.
    package init(
        report: @escaping (Reading) -> Void, warn: @escaping (String) -> Void, overflowed: @escaping () -> Void
    ) {
        self.report = report
        self.warn = warn
        self.overflowed = overflowed
    }
}
