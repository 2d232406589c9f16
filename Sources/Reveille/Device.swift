// SPDX-License-Identifier: Apache-2.0

public import ReveilleCore
import ReveilleService
package import ReveilleSystem
package import ReveilleWire
import Varlink

/// The state of this device, and its changes.
///
/// ``connect(to:)`` uses a bus that another process serves; ``local(configuration:root:)`` runs one in this process.
/// Everything else is the same with both.
///
/// ```swift
/// let device = try await Device.connect()
/// print(try await device.battery)
/// for try await event in try await device.subscribe() { print(event) }
/// ```
///
/// The device reconnects automatically when the bus restarts: subscriptions and observations continue where they
/// were, and only calls in between fail: with ``ReveilleError/Code/noBus``, or with ``ReveilleError/Code/timeout`` if the
/// bus does not answer within ten seconds.
///
/// Calls from one task reach the bus in order; calls from concurrent tasks have no order. Cancelling a task does not
/// interrupt its calls, because the bus may have received them already.
///
/// Safe to use from any thread and any actor. Its thread and its file descriptors exist for as long as the device, or
/// a ``Subscription`` or ``ObservationToken`` of it.
@dynamicMemberLookup
public final class Device: Sendable {
    let engine: Engine
    let monitor = Monitor()
    let queues = ObserverQueues()

    private init(_ engine: Engine) async throws(ReveilleError) {
        self.engine = engine
        // If this throws, `deinit` shuts the engine down.
        try await engine.start()
    }

    deinit {
        Task(executorPreference: engine.thread) { [engine] in await engine.shutDown() }
    }

    /// Connects to a bus.
    ///
    /// ```swift
    /// let device = try await Device.connect()
    /// print(try await device.orientation.pose)
    /// ```
    ///
    /// - Parameter address: `unix:PATH`. The default is `$REVEILLE_ADDRESS`, otherwise the user's own bus or, if
    ///   nothing serves that, the machine's bus; root uses the machine's bus only.
    /// - Returns: The device, once the bus has answered.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` if nothing serves the address.
    public static func connect(to address: String? = nil) async throws(ReveilleError) -> Device {
        try await connect(to: address, patience: Patience())
    }

    /// Connects to a bus with other timeouts, or on a thread whose loop the program's other connections use.
    package static func connect(
        to address: String?, patience: Patience = Patience(), on thread: LoopThread? = nil
    ) async throws(ReveilleError) -> Device {
        try await Device(Engine(.socket(try BusAddress.resolve(address)), patience: patience, on: thread))
    }

    /// Watches the device in this process, without a separate bus.
    ///
    /// Use it for the only program on a device, or on a machine without a bus. Other processes cannot see it, and it
    /// saves no state.
    ///
    /// ```swift
    /// let device = try await Device.local()
    /// for try await battery in device.updates(of: .battery) { print(battery.state) }
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The path of a configuration file, as for `reveille serve --config`; `nil` for the defaults.
    ///   - root: A directory that stands for `/` in the paths of locale and settings files; `nil` for `/` itself.
    /// - Returns: The device, once its files have been read.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid configuration.
    public static func local(configuration: String? = nil, root: String? = nil) async throws(ReveilleError) -> Device {
        let settings: Configuration
        do throws(ConfigurationError) {
            settings =
                if let configuration { try ConfigurationFile(path: configuration).read() } else { Configuration() }
        } catch {
            throw ReveilleError(.invalidArgument, "\(error)")
        }
        return try await Device(Engine(.local(settings, .own(root: root ?? ""))))
    }

    /// Creates a device without sources, which has only posted states, for tests; the configuration is in JSON5.
    package static func inMemory(_ configuration: String = "{}") async throws(ReveilleError) -> Device {
        let settings: Configuration
        do throws(ConfigurationError) {
            settings = try Configuration(parsing: Array(configuration.utf8))
        } catch {
            throw ReveilleError(.invalidArgument, "\(error)")
        }
        return try await Device(Engine(.local(settings, nil)))
    }

    /// Whether the bus is reachable, now and after each change; a slow consumer gets only the newest state.
    ///
    /// ```swift
    /// for await state in await device.connectionStates { print(state) }
    /// ```
    public var connectionStates: AsyncStream<ConnectionState> {
        get async { await engine.connectionStates() }
    }

    // MARK: - Current state

    /// Returns the current state of one aspect, as an event whose `Event.changes` are 0.
    ///
    /// If nothing watches the sensor, the bus reads it once, which takes up to a second. A name that is not published
    /// has an empty state.
    ///
    /// ```swift
    /// let event = try await device.state(of: .proximity)
    /// print(event.reading, event.changedAt)
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name, and for a pattern, which
    ///   has no state of its own.
    public func state(of aspect: Aspect) async throws(ReveilleError) -> Event {
        try aspect.checkHasState()
        guard let event = try await states(of: AspectSet(aspect)).first(where: { $0.aspect == aspect }) else {
            throw ReveilleError(.invalidReply, "GetState: the reply has no state of \(aspect)")
        }
        return event
    }

    /// Returns the current states of several aspects, as ``state(of:)`` does for one.
    ///
    /// A pattern stands for the names that it matches and that are published now.
    ///
    /// ```swift
    /// for event in try await device.states(of: [.battery, "org.example.*"]) { print(event) }
    /// ```
    ///
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for an invalid name, or
    ///   ``ReveilleError/Code/quotaExceeded`` for more than 64 aspects, names and patterns.
    public func states(of aspects: AspectSet = .default) async throws(ReveilleError) -> [Event] {
        for aspect in aspects.aspects {
            try aspect.checkIsValid()
            try aspect.checkIsOfDevice()
        }
        return try await engine.call(Call(.getState(aspects)), expecting: EventsReply.self).events
    }

    /// Returns the latest changes of an aspect that the bus keeps, oldest first, each with `Event.changes` 1.
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
    ///   - aspect: An aspect of the device or a published name. Of settings that have changed since, only the keys are
    ///     known.
    ///   - limit: The largest number of changes, at least 1; `nil` for all.
    /// - Returns: The latest changes; none of an aspect that has not changed since the bus first started.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` for a pattern, an invalid name or a limit below
    ///   1; ``ReveilleError/Code/notSupported`` if the bus is of a version without this call.
    public func history(of aspect: Aspect, limit: Int? = nil) async throws(ReveilleError) -> [Event] {
        try aspect.checkHasState()
        if let limit, limit < 1 {
            throw ReveilleError(.invalidArgument, "the limit of a history must be at least 1, not \(limit)")
        }
        return try await historyReply(of: aspect, limit: limit).events
    }

    /// Returns the latest changes of an aspect with the instance of the bus, for comparison with earlier changes.
    package func historyReply(of aspect: Aspect, limit: Int?) async throws(ReveilleError) -> EventsReply {
        try await engine.call(Call(.getHistory(aspect, limit: limit)), expecting: EventsReply.self)
    }

    // MARK: - Bus

    /// Reads every source again; returns once the changes have been posted.
    public func refresh() async throws(ReveilleError) {
        _ = try await engine.call(Call(.refresh), expecting: EmptyReply.self)
    }

    /// Posts a synthetic state, for tests of subscribers.
    ///
    /// It is valid until the device's own reading changes, or until ``refresh()``. Posted settings are delivered with
    /// all their keys.
    ///
    /// ```swift
    /// try await device.post(.proximity(.near))
    /// ```
    ///
    /// - Returns: The generation and the sequence of the posted state.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/notPermitted`` unless the bus is this user's own or the user
    ///   is root; ``ReveilleError/Code/invalidArgument`` for an impossible state, such as a level above 1.
    @discardableResult
    public func post(_ reading: Reading) async throws(ReveilleError) -> (generation: Int, sequence: Int) {
        let call = Call(.post(reading))
        // JSON cannot express a level that is not a number: it would be sent as null, which means unknown.
        do throws(CallError) {
            _ = try BusCall(call, of: .post, history: 1)
        } catch {
            let field = error.parameters["parameter"]?.stringValue ?? reading.aspect.name
            throw ReveilleError(.invalidArgument, "Post: the value of \(field) is not allowed: \(reading)")
        }
        let reply = try await engine.call(call, expecting: PostReply.self)
        return (reply.generation, reply.sequence)
    }

    /// Returns the source of each aspect, as `reveille status` shows it.
    ///
    /// ```swift
    /// for source in try await device.sources() { print(source.aspect, source.text) }
    /// ```
    public func sources() async throws(ReveilleError) -> [AspectSource] {
        try await engine.call(Call(.describeAspects), expecting: [AspectSource].self)
    }

    /// Returns whether this device has a source for an aspect, such as a battery or a sensor.
    public func isAvailable(_ aspect: Aspect) async throws(ReveilleError) -> Bool {
        try await sources().contains { $0.aspect == aspect && $0.isAvailable }
    }

    /// Returns all subscriptions of the bus, as `reveille status` shows them.
    ///
    /// ```swift
    /// for subscriber in try await device.subscribers() where !subscriber.holds.isEmpty {
    ///     print(subscriber.name ?? subscriber.id, subscriber.holds.names, subscriber.pending)
    /// }
    /// ```
    public func subscribers() async throws(ReveilleError) -> [Subscriber] {
        try await engine.call(Call(.listSubscriptions), expecting: [Subscriber].self)
    }
}

/// Whether the bus of a ``Device`` is reachable.
@nonexhaustive public enum ConnectionState: Sendable, Hashable {
    /// The bus answers.
    case connected
    /// The bus is gone; the device reconnects automatically, and subscriptions continue where they were.
    case disconnected(ReveilleError)
}
