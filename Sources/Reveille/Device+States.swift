// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
package import ReveilleWire
import Varlink

extension Device {
    /// Returns the current state of an aspect of the device, in its own type.
    ///
    /// If nothing watches the sensor, the bus reads it once, which takes up to a second. Each type says what its value is
    /// without a source, such as a `nil` level. A sample of `motion` is taken now, the settings have all their keys, and
    /// each folder has all its names as `added`.
    ///
    /// ```swift
    /// print(try await device.state(of: .battery).level as Any)
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is
    ///   unavailable.
    public func state<State>(of aspect: TypedAspect<State>) async throws -> State {
        guard let state = aspect.state(of: try await get(aspect).reading) else {
            throw ReveilleError(.invalidReply, "GetState: no state of \(aspect.aspect)")
        }
        return state
    }

    /// Returns the current state of an aspect of the device with its times, as an event whose `Event.changeCount` is 0.
    ///
    /// ```swift
    /// let event = try await device.get(.proximity)
    /// print(event.reading, event.changedAt)
    /// ```
    ///
    /// - Throws: ``ReveilleError``, as ``state(of:)`` does.
    public func get<State>(_ aspect: TypedAspect<State>) async throws -> Event {
        try await event(of: aspect.aspect)
    }

    /// Returns the current state of a published name with its times, as an event whose `Event.changeCount` is 0.
    ///
    /// A name that is not published has an empty state.
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name;
    ///   ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is unavailable.
    public func get<Value>(_ name: PublishedName<Value>) async throws -> Event {
        try name.aspect.checkIsPublished()
        return try await event(of: name.aspect)
    }

    /// Returns the current state of an aspect that is known only when the program runs.
    package func event(of aspect: Aspect) async throws -> Event {
        guard let event = try await getAll([aspect]).first(where: { $0.aspect == aspect }) else {
            throw ReveilleError(.invalidReply, "GetState: the reply has no state of \(aspect)")
        }
        return event
    }

    /// Returns the current states of several aspects, as ``get(_:)-(TypedAspect<State>)`` does for one.
    ///
    /// A pattern stands for the names that it matches and that are published now.
    ///
    /// ```swift
    /// for event in try await device.getAll([.battery, "org.example.*"]) { print(event) }
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name and for the lifecycle;
    ///   ``ReveilleError/Code/quotaExceeded`` for more than 64 aspects, names and patterns;
    ///   ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is unavailable.
    public func getAll(_ aspects: Set<Aspect>) async throws -> [Event] {
        let aspects = AspectSet(aspects)
        for aspect in aspects.aspects {
            try aspect.checkIsValid()
            try aspect.checkIsOfDevice()
        }
        return try await engine.states(of: aspects).events
    }

    /// Returns the latest changes of an aspect that the bus keeps, oldest first, each with an `Event.changeCount` of 1.
    ///
    /// Nothing is delivered: subscriptions stay at their positions. A bus keeps as many changes as its configuration
    /// sets in `bus.history`; after a restart, the oldest kept change is the last one before the restart. No sensor is
    /// read.
    ///
    /// ```swift
    /// for event in try await device.history(of: .battery, limit: 10) {
    ///     print(event.changedAt, event.reading)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - aspect: The aspect. Of settings that have changed since, only the keys are known.
    ///   - limit: The largest number of changes, at least 1; `nil` for all.
    /// - Returns: The latest changes; none of an aspect that has not changed since the bus first started.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for a limit below 1;
    ///   ``ReveilleError/Code/notSupported`` if the bus is of a version without this call.
    public func history<State>(of aspect: TypedAspect<State>, limit: Int? = nil) async throws -> [Event] {
        try await historyReply(of: aspect.aspect, limit: limit).events
    }

    /// Returns the latest changes of a published name, as ``history(of:limit:)-(TypedAspect<State>,_)`` does of an aspect
    /// of the device.
    ///
    /// - Throws: ``ReveilleError``, as that call does, and ``ReveilleError/Code/invalidArgument`` for an invalid name.
    public func history<Value>(of name: PublishedName<Value>, limit: Int? = nil) async throws -> [Event] {
        try name.aspect.checkIsPublished()
        return try await historyReply(of: name.aspect, limit: limit).events
    }

    /// Returns the latest changes of an aspect with the instance of the bus, for comparison with earlier changes.
    package func historyReply(of aspect: Aspect, limit: Int?) async throws(ReveilleError) -> EventsReply {
        if let limit, limit < 1 {
            throw ReveilleError(.invalidArgument, "the limit of a history must be at least 1, not \(limit)")
        }
        return try await engine.call(GetHistory(aspect, limit: limit, wantsSupply: aspect == .battery))
    }

    /// Returns the aspects of the bus with their sources, as `reveille status` shows them.
    ///
    /// ```swift
    /// for aspect in try await device.aspects() { print(aspect.aspect, aspect.source) }
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout``.
    public func aspects() async throws -> [AspectInfo] {
        try await engine.call(DescribeAspects())
    }

    /// Returns whether this device has a source for an aspect of the device now, such as a battery or a sensor.
    ///
    /// Nothing is read, and the answer is that of the moment: a battery can be removed, and a monitor unplugged.
    /// Without a source, the aspect has its unknown state, and subscribers receive an event when a source appears.
    ///
    /// ```swift
    /// if try await !device.isAvailable(.proximity) { print("there is no proximity sensor") }
    /// ```
    ///
    /// - Parameter aspect: An aspect of the device; ``check(_:)-(Aspect)`` answers for published names too.
    /// - Returns: Whether there is a source; ``aspects()`` has its name.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is
    ///   unavailable.
    public func isAvailable<State>(_ aspect: TypedAspect<State>) async throws -> Bool {
        try await aspects().contains { $0.aspect == aspect.aspect && $0.isAvailable }
    }

    /// Makes the bus read every source again, even if nothing watches it, and returns once the changes are events.
    ///
    /// The bus notices changes by itself, so this is only needed after a change that the kernel does not report, such
    /// as a file on a network file system that another machine has changed. It takes up to a second, the time of a
    /// sensor. All subscribers of the bus receive the changes that it finds.
    ///
    /// For the user of the bus and for root, it also ends the states that a test has posted with `ReveilleTesting`:
    /// they give way to those of the device.
    ///
    /// ```swift
    /// try await device.refresh()
    /// print(try await device.state(of: .defaults))
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` or ``ReveilleError/Code/timeout`` if the bus is
    ///   unavailable.
    public func refresh() async throws {
        _ = try await engine.call(Refresh())
    }

    /// Posts a synthetic state; public in `ReveilleTesting`, as `post(_:)`.
    package func postSynthetic(_ reading: Reading) async throws(ReveilleError) -> Revision {
        let post = Post(reading)
        // JSON cannot express a level that is not a number: it would be sent as null, which means unknown.
        do throws(CallError) {
            var fields = Fields(post.parameters)
            _ = try Post(&fields, history: 0)
        } catch {
            let field = error.parameters["parameter"]?.stringValue ?? reading.aspect.name
            throw ReveilleError(.invalidArgument, "Post: the value of \(field) is not allowed: \(reading)")
        }
        return try await engine.call(post)
    }
}
