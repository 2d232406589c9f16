// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleSystem

extension Device {
    /// Begins to watch an aspect for ``reading(of:)``; each call must be balanced by an ``endMonitoring(_:)``.
    ///
    /// The counterpart of UIDevice's `isBatteryMonitoringEnabled = true`, `isProximityMonitoringEnabled = true` and
    /// `beginGeneratingDeviceOrientationNotifications()`.
    ///
    /// ```swift
    /// if try await device.beginMonitoring(.battery) {
    ///     print(device.reading(of: .battery))  // without waiting
    ///     device.endMonitoring(.battery)
    /// }
    /// ```
    ///
    /// - Parameter aspect: An aspect of the device, or a published name, whether it is published yet or not.
    /// - Returns: Whether it is watched; false if the device has no source for the aspect.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name, and for a pattern, which
    ///   has no state of its own.
    @discardableResult
    public func beginMonitoring(_ aspect: Aspect) async throws(ReveilleError) -> Bool {
        try aspect.checkHasState()
        if !aspect.isPublished, try await !isAvailable(aspect) { return false }
        let watch = monitor.begin(aspect)
        do throws(ReveilleError) {
            // Each call has its own observer, so that no call depends on the outcome of another; the observers share a
            // stream.
            let sink = MonitorSink(monitor, aspect, watch)
            let id = try await engine.observe(aspect, sink, wantsCurrent: true)
            if !monitor.started(aspect, watch, as: id) { await engine.stopObserving(aspect, id: id) }
            return true
        } catch {
            monitor.remove(aspect, watch)
            throw error
        }
    }

    /// Ends one ``beginMonitoring(_:)``; after the last one the aspect is not watched, and its reading is unknown.
    ///
    /// Extra calls have no effect.
    public func endMonitoring(_ aspect: Aspect) {
        guard let id = monitor.end(aspect) else { return }
        Task { [self] in await engine.stopObserving(aspect, id: id) }
    }

    /// Returns whether an aspect is watched for this device.
    public func isMonitoring(_ aspect: Aspect) -> Bool {
        monitor.isMonitoring(aspect)
    }

    /// Returns the state of an aspect that is watched, without waiting; `Reading.unknown(_:)` for others.
    public func reading(of aspect: Aspect) -> Reading {
        monitor.reading(of: aspect)
    }
}

/// The aspects that are watched for a device, and their readings; safe on any thread.
final class Monitor: Sendable {
    private struct Entry {
        /// The observer of each call without a matching end; `nil` until the bus has answered.
        var watches: [Int: Int?] = [:]
        var reading: Reading?
    }

    private let entries = Lock<[Aspect: Entry]>([:])
    private let lastWatch = Lock(0)

    func begin(_ aspect: Aspect) -> Int {
        let watch = lastWatch.withLock { last in
            last += 1
            return last
        }
        entries.withLock { $0[aspect, default: Entry()].watches[watch] = .some(nil) }
        return watch
    }

    /// Records the observer of a call; returns whether the observer is still needed.
    func started(_ aspect: Aspect, _ watch: Int, as id: Int) -> Bool {
        entries.withLock { entries in
            guard entries[aspect]?.watches[watch] != nil else { return false }
            entries[aspect]?.watches[watch] = id
            return true
        }
    }

    /// Counts an end; returns the observer to end, if the bus has answered.
    func end(_ aspect: Aspect) -> Int? {
        entries.withLock { entries in
            let watches = entries[aspect]?.watches ?? [:]
            // A running watch ends before a starting one.
            guard let watch = watches.first(where: { $0.value != nil })?.key ?? watches.keys.first else { return nil }
            return Self.remove(watch, of: aspect, from: &entries)
        }
    }

    /// Removes a call that failed, or whose stream has ended.
    func remove(_ aspect: Aspect, _ watch: Int) {
        entries.withLock { entries in
            _ = Self.remove(watch, of: aspect, from: &entries)
        }
    }

    private static func remove(_ watch: Int, of aspect: Aspect, from entries: inout [Aspect: Entry]) -> Int? {
        let id = entries[aspect]?.watches.removeValue(forKey: watch) ?? nil
        if entries[aspect]?.watches.isEmpty == true { entries[aspect] = nil }
        return id
    }

    func note(_ reading: Reading) {
        entries.withLock { $0[reading.aspect]?.reading = reading }
    }

    func isMonitoring(_ aspect: Aspect) -> Bool {
        entries.withLock { $0[aspect] != nil }
    }

    func reading(of aspect: Aspect) -> Reading {
        entries.withLock { $0[aspect]?.reading } ?? .unknown(aspect)
    }
}

private final class MonitorSink: EventSink {
    private let monitor: Monitor
    private let aspect: Aspect
    private let watch: Int

    init(_ monitor: Monitor, _ aspect: Aspect, _ watch: Int) {
        self.monitor = monitor
        self.aspect = aspect
        self.watch = watch
    }

    func receive(_ output: StreamOutput) {
        switch output {
        case .start(let events, _), .restart(let events, _), .answer(let events), .events(let events):
            for event in events { monitor.note(event.reading) }
        case .skip, .background: break
        case .end: monitor.remove(aspect, watch)
        }
    }
}
