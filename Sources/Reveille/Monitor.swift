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
        let watch = monitor.begin(aspect)
        do throws(ReveilleError) {
            // Each has an observer of its own, so that none depends on how another's begin goes; they share a stream.
            let sink = MonitorSink(monitor, aspect, watch)
            let id = try await engine.observe(aspect, sink, wantsCurrent: true)
            if !monitor.started(aspect, watch, as: id) { await engine.stopObserving(aspect, id: id) }
            return true
        } catch {
            monitor.remove(aspect, watch)
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
        /// The observer's name of each begin that no end belongs to; `nil` until the bus has answered.
        var watches: [Int: Int?] = [:]
        var reading: Reading?
    }

    private let entries = Lock(AspectTable<Entry>(repeating: Entry()))
    private let lastWatch = Lock(0)

    /// Counts one more, and names it.
    func begin(_ aspect: Aspect) -> Int {
        let watch = lastWatch.withLock { last in
            last += 1
            return last
        }
        entries.withLock { $0[aspect].watches[watch] = .some(nil) }
        return watch
    }

    /// Notes the observer of a begin; says whether it is still wanted.
    func started(_ aspect: Aspect, _ watch: Int, as id: Int) -> Bool {
        entries.withLock { entries in
            guard entries[aspect].watches[watch] != nil else { return false }
            entries[aspect].watches[watch] = id
            return true
        }
    }

    /// Counts one less; gives the observer that is to end with it, where the bus has answered.
    func end(_ aspect: Aspect) -> Int? {
        entries.withLock { entries in
            let watches = entries[aspect].watches
            // One that is watched ends before one that is still to be.
            guard let watch = watches.first(where: { $0.value != nil })?.key ?? watches.keys.first else { return nil }
            return Self.remove(watch, from: &entries[aspect])
        }
    }

    /// Forgets a begin that came to nothing, or whose stream has ended.
    func remove(_ aspect: Aspect, _ watch: Int) {
        entries.withLock { entries in
            _ = Self.remove(watch, from: &entries[aspect])
        }
    }

    private static func remove(_ watch: Int, from entry: inout Entry) -> Int? {
        let id = entry.watches.removeValue(forKey: watch) ?? nil
        if entry.watches.isEmpty { entry = Entry() }
        return id
    }

    func note(_ reading: Reading) {
        entries.withLock { entries in
            if !entries[reading.aspect].watches.isEmpty { entries[reading.aspect].reading = reading }
        }
    }

    func isMonitoring(_ aspect: Aspect) -> Bool {
        entries.withLock { !$0[aspect].watches.isEmpty }
    }

    func reading(of aspect: Aspect) -> Reading {
        entries.withLock { $0[aspect].reading } ?? .unknown(aspect)
    }
}

/// Hands what comes of one aspect to a monitor.
private final class MonitorSink: EventSink {
    private let monitor: Monitor
    private let aspect: Aspect
    private let watch: Int

    init(_ monitor: Monitor, _ aspect: Aspect, _ watch: Int) {
        self.monitor = monitor
        self.aspect = aspect
        self.watch = watch
    }

    func start(from events: [Event], of instance: String) { put(events) }
    func restart(from events: [Event], of instance: String) { put(events) }
    func put(_ events: [Event]) { for event in events { monitor.note(event.reading) } }
    func park() {}
    func unpark() {}
    func finish(_ error: ReveilleError) { monitor.remove(aspect, watch) }
    var isEmpty: Bool { true }
}
