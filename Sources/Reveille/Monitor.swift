// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore
import ReveilleSystem

extension Device {
    /// Begins to watch an aspect, so that ``reading(of:)`` knows it; each call wants an ``endMonitoring(_:)``.
    ///
    /// What UIDevice's `isBatteryMonitoringEnabled = true`, `isProximityMonitoringEnabled = true` and
    /// `beginGeneratingDeviceOrientationNotifications()` do.
    ///
    /// - Returns: Whether it is watched: false where the device has nothing to read the aspect from.
    /// - Throws: ``ReveilleError``.
    @discardableResult
    public func beginMonitoring(_ aspect: Aspect) async throws(ReveilleError) -> Bool {
        guard try await isAvailable(aspect) else { return false }
        guard monitor.begin(aspect) else { return true }
        do throws(ReveilleError) {
            let id = try await engine.observe(aspect, MonitorSink(monitor, aspect), wantsCurrent: true)
            if !monitor.started(aspect, as: id) { await engine.stopObserving(aspect, id: id) }
            return true
        } catch {
            monitor.reset(aspect)
            throw error
        }
    }

    /// Ends what one ``beginMonitoring(_:)`` began; with the last one nothing is watched, and nothing known, any more.
    ///
    /// One call too many does nothing.
    public func endMonitoring(_ aspect: Aspect) {
        guard let id = monitor.end(aspect) else { return }
        Task { [self] in await engine.stopObserving(aspect, id: id) }
    }

    /// Whether an aspect is watched for this device.
    public func isMonitoring(_ aspect: Aspect) -> Bool {
        monitor.isMonitoring(aspect)
    }

    /// The state of an aspect that is watched, at once; of others what is read without a source:
    /// `Reading.unknown(_:)`.
    public func reading(of aspect: Aspect) -> Reading {
        monitor.reading(of: aspect)
    }
}

/// What is watched for a device, and its state; any thread.
final class Monitor: Sendable {
    private struct Entry {
        var count = 0
        /// Its observer's name; `nil` until the bus has answered.
        var id: Int?
        var reading: Reading?
    }

    private let entries = Lock(AspectTable<Entry>(repeating: Entry()))

    /// Counts one more; says whether it is the first.
    func begin(_ aspect: Aspect) -> Bool {
        entries.withLock { entries in
            entries[aspect].count += 1
            return entries[aspect].count == 1
        }
    }

    /// Notes the observer of a first one; says whether it is wanted: not where all have ended meanwhile, or others
    /// have begun since and are observed already.
    func started(_ aspect: Aspect, as id: Int) -> Bool {
        entries.withLock { entries in
            guard entries[aspect].count > 0, entries[aspect].id == nil else { return false }
            entries[aspect].id = id
            return true
        }
    }

    /// Counts one less; gives the observer that is to end with it.
    func end(_ aspect: Aspect) -> Int? {
        entries.withLock { entries in
            guard entries[aspect].count > 0 else { return nil }
            entries[aspect].count -= 1
            guard entries[aspect].count == 0 else { return nil }
            defer { entries[aspect] = Entry() }
            return entries[aspect].id
        }
    }

    func reset(_ aspect: Aspect) {
        entries.withLock { $0[aspect] = Entry() }
    }

    func note(_ reading: Reading) {
        entries.withLock { entries in
            if entries[reading.aspect].count > 0 { entries[reading.aspect].reading = reading }
        }
    }

    func isMonitoring(_ aspect: Aspect) -> Bool {
        entries.withLock { $0[aspect].count > 0 }
    }

    func reading(of aspect: Aspect) -> Reading {
        entries.withLock { $0[aspect].reading } ?? .unknown(aspect)
    }
}

/// Hands what comes of one aspect to a monitor.
private final class MonitorSink: EventSink {
    private let monitor: Monitor
    private let aspect: Aspect

    init(_ monitor: Monitor, _ aspect: Aspect) {
        self.monitor = monitor
        self.aspect = aspect
    }

    func start(from events: [Event], of instance: String) { put(events) }
    func restart(from events: [Event], of instance: String) { put(events) }
    func put(_ events: [Event]) { for event in events { monitor.note(event.reading) } }
    func park() {}
    func unpark() {}
    func finish(_ error: ReveilleError) { monitor.reset(aspect) }
    var isEmpty: Bool { true }
}
