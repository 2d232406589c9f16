// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

public import ReveilleCore
import ReveilleService
import ReveilleSystem
import ReveilleWire
import Varlink

/// This device, as a bus knows it: what it is like now, and what changes.
///
/// ``connect(to:)`` reaches a bus that another process serves, ``local(configuration:root:)`` has one in this
/// process; everything else is the same on both. A bus that goes away is reached again by itself: subscriptions and
/// observations go on where they were, and only calls made meanwhile fail.
///
/// Any thread, any actor. What it needs of the system, a thread and a few descriptors, is there for as long as the
/// device, a ``Subscription`` or an ``Observation`` of it is.
public final class Device: Sendable {
    let engine: Engine
    let monitor = Monitor()
    let queues = ObserverQueues()

    private init(_ engine: Engine) async throws(ReveilleError) {
        self.engine = engine
        // Where this throws, the engine is shut down as ever: by `deinit`.
        try await engine.start()
    }

    deinit {
        Task { [engine] in await engine.shutDown() }
    }

    /// Reaches a bus.
    ///
    /// - Parameter address: `unix:PATH`. Without one `$REVEILLE_ADDRESS` counts, else the user's own bus, and where
    ///   nobody serves that, the machine's; root has no other than the machine's.
    /// - Returns: The device, once the bus has answered.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` where nobody serves the address.
    public static func connect(to address: String? = nil) async throws(ReveilleError) -> Device {
        try await Device(Engine(.socket(try BusAddress.resolve(address))))
    }

    /// Reaches a bus with less patience than usual: for tests.
    package static func connect(to address: String, patience: Patience) async throws(ReveilleError) -> Device {
        try await Device(Engine(.socket(try BusAddress.resolve(address)), patience: patience))
    }

    /// Watches the device in this process, without a bus beside it.
    ///
    /// For a program that is alone on a device, or runs where no bus does. Others cannot see it, and it keeps nothing
    /// over a restart.
    ///
    /// - Parameters:
    ///   - configuration: A configuration file, as `reveille serve --config` takes it; without one the defaults count.
    ///   - root: A directory that every file of locale and settings is taken below; `nil` for none.
    /// - Returns: The device, its files read.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/invalidArgument`` naming what is wrong with the configuration.
    public static func local(configuration: String? = nil, root: String? = nil) async throws(ReveilleError) -> Device {
        let settings: Configuration
        do throws(ConfigurationError) {
            settings =
                try configuration.map { path throws(ConfigurationError) in
                    try Configuration(readingFile: path)
                } ?? Configuration()
        } catch {
            throw ReveilleError(.invalidArgument, "\(error)")
        }
        return try await Device(Engine(.local(settings, .own(root: root ?? ""))))
    }

    /// A device without anything to watch, which knows what is posted to it: for tests.
    package static func inMemory() async throws(ReveilleError) -> Device {
        try await Device(Engine(.local(Configuration(), nil)))
    }

    /// Whether the bus is reached, now and with each change; whoever looks late sees the newest alone.
    public var connectionStates: AsyncStream<ConnectionState> {
        get async { await engine.connectionStates() }
    }

    // MARK: - The state now

    /// The state of one aspect, whoever subscribes to it; its `Event.changes` are 0.
    ///
    /// A sensor that nobody watches is read once for it, which takes up to a second.
    public func state(of aspect: Aspect) async throws(ReveilleError) -> Event {
        guard let event = try await states(of: AspectSet(aspect)).first(where: { $0.aspect == aspect }) else {
            throw ReveilleError(.invalidReply, "GetState: no state of \(aspect)")
        }
        return event
    }

    /// The states of several aspects at once.
    public func states(of aspects: AspectSet = .default) async throws(ReveilleError) -> [Event] {
        let names = aspects.aspects.map { JSON.string($0.rawValue) }
        return try decoding("GetState", try await engine.call("GetState", ["aspects": .array(names)])) {
            reply throws(CallError) in try EventCoding.decodeAll(reply, noting: UnknownWords())
        }
    }

    // MARK: - The bus

    /// Reads every source again now; returns once what changed has been posted.
    public func refresh() async throws(ReveilleError) {
        _ = try await engine.call("Refresh")
    }

    /// Posts a synthetic state, for tests of subscribers.
    ///
    /// It stands until the device's own reading next changes, or ``refresh()``. Settings that are posted are told
    /// with all their keys.
    ///
    /// - Returns: Generation and sequence of the aspect's state now.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/notPermitted`` unless the bus is this user's own or this is
    ///   root; ``ReveilleError/Code/invalidArgument`` for what no device reads, as a level above 1.
    @discardableResult
    public func post(_ reading: Reading) async throws(ReveilleError) -> (generation: Int, sequence: Int) {
        let state = ReadingCoding.encode(reading)
        // Refused here already: JSON has no word for a level that is no number, and would say that it is unknown.
        do throws(CallError) {
            _ = try ReadingCoding.decode(state, of: reading.aspect)
        } catch {
            throw ReveilleError(answered: error, to: "Post")
        }
        let reply = try await engine.call("Post", [reading.aspect.rawValue: state])
        return try decoding("Post", reply) { reply throws(CallError) in try StatusCoding.decodePosted(reply) }
    }

    /// What each aspect is read from on this device.
    public func sources() async throws(ReveilleError) -> [AspectSource] {
        try decoding("DescribeAspects", try await engine.call("DescribeAspects")) { reply throws(CallError) in
            try StatusCoding.decodeSources(reply).map(AspectSource.init)
        }
    }

    /// Whether there is something that an aspect is read from: a battery, a sensor.
    public func isAvailable(_ aspect: Aspect) async throws(ReveilleError) -> Bool {
        try await sources().contains { $0.aspect == aspect && $0.isAvailable }
    }

    /// Everybody who subscribes to the bus, for people.
    public func subscribers() async throws(ReveilleError) -> [Subscriber] {
        try decoding("ListSubscriptions", try await engine.call("ListSubscriptions")) { reply throws(CallError) in
            try StatusCoding.decodeSubscriptions(reply).map(Subscriber.init)
        }
    }

    private func decoding<Value>(
        _ method: String, _ reply: JSONObject, _ decode: (JSONObject) throws(CallError) -> Value
    ) throws(ReveilleError) -> Value {
        do throws(CallError) {
            return try decode(reply)
        } catch {
            throw ReveilleError(.invalidReply, "\(method): a reply that the interface does not allow: \(error)")
        }
    }
}
