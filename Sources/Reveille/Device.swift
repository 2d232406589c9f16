// SPDX-License-Identifier: Apache-2.0

public import Logging
import ReveilleCore
package import ReveilleLink
package import ReveilleSystem
import ReveilleWire
import Varlink

/// The state of this device, and its changes.
///
/// ``connect(to:wait:logger:)`` uses a bus that another process serves. `Device.local()` of the module `ReveilleLocal`
/// runs one in this process. Everything else is the same with both.
///
/// ```swift
/// let device = try await Device.connect()
/// print(try await device.state(of: .battery))
/// for try await event in try await device.subscribe(to: [.battery, .locale]) { print(event) }
/// ```
///
/// The device reconnects automatically when the bus restarts: subscriptions and observations continue where they
/// were, and only calls in between fail: with ``ReveilleError/Code/noBus``, or with ``ReveilleError/Code/timeout`` if the
/// bus does not answer within ten seconds, or four minutes for ``Shell/suspend(_:wakeAfter:)``.
///
/// Calls from one task reach the bus in order; calls from concurrent tasks have no order. Cancelling a task does not
/// interrupt its calls, because the bus may have received them already.
///
/// Safe to use from any thread and any actor. Its thread and its file descriptors exist for as long as the device, or
/// a ``Subscription`` or ``ObservationToken`` of it.
public final class Device: Sendable {
    let engine: Engine
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
    /// print(try await device.state(of: .orientation).pose)
    /// ```
    ///
    /// - Parameters:
    ///   - address: `unix:PATH`. The default is `$REVEILLE_ADDRESS`, otherwise the user's own bus or, if nothing serves that,
    ///     the machine's bus; root uses the machine's bus only.
    ///   - wait: Whether to wait for a bus if there is none, until the task is cancelled.
    ///   - logger: The log for the loss of the bus and its return, and for what fails while no call waits.
    /// - Returns: The device, once the bus has answered.
    /// - Throws: ``ReveilleError``: ``ReveilleError/Code/noBus`` if nothing serves the address. `CancellationError` if the task
    ///   is cancelled while it waits.
    public static func connect(
        to address: String? = nil, wait: Bool = false, logger: Logger = Logger(label: "reveille")
    ) async throws -> Device {
        try await connect(to: address, wait: wait, patience: Patience(), logger: logger)
    }

    /// Connects to a bus with other timeouts, or on a thread whose loop the program's other connections use.
    package static func connect(
        to address: String?, wait: Bool = false, patience: Patience = Patience(),
        logger: Logger = Logger(label: "reveille"), on thread: LoopThread? = nil
    ) async throws -> Device {
        var backoff = Backoff()
        while true {
            do throws(ReveilleError) {
                let route = Engine.Route.socket(try BusAddress.resolve(address))
                return try await Device(Engine(route, patience: patience, logger: logger, on: thread))
            } catch {
                guard wait, error.code == .noBus else { throw error }
            }
            try await Task.sleep(for: backoff.next(fraction: Double.random(in: 0...1)))
        }
    }

    /// Starts a bus of this process, and connects to it; see the module `ReveilleLocal`.
    package static func starting(
        _ bus: @escaping Engine.HostedBusStart, logger: Logger, on thread: LoopThread? = nil
    ) async throws(ReveilleError) -> Device {
        try await Device(Engine(.own(bus), logger: logger, on: thread))
    }

    /// Ends the connection, its subscriptions, observations and tasks, and withdraws states published `whileConnected`.
    ///
    /// Later calls fail with ``ReveilleError/Code/closed``. A device that is released is closed too, but not before its
    /// subscriptions and observations are released.
    ///
    /// ```swift
    /// await device.close()
    /// ```
    public func close() async {
        await engine.shutDown()
    }

    /// Whether the bus is reachable, now and after each change; a slow consumer gets only the newest state.
    ///
    /// ```swift
    /// for await state in await device.connectionStates { print(state) }
    /// ```
    public var connectionStates: AsyncStream<ConnectionState> {
        get async { await engine.connectionStates() }
    }
}

/// Connects to a bus for the time of an operation, and closes the device at its end.
///
/// ```swift
/// try await withDevice { device in
///     print(try await device.state(of: .battery))
/// }
/// ```
///
/// - Parameters:
///   - address: The address, as for ``Device/connect(to:wait:logger:)``.
///   - logger: The log, as for ``Device/connect(to:wait:logger:)``.
///   - isolation: The actor of the caller, on which the operation runs.
///   - operation: The operation.
/// - Returns: The result of the operation.
/// - Throws: ``ReveilleError``, as ``Device/connect(to:wait:logger:)`` does, and the error of the operation.
public func withDevice<Value>(
    at address: String? = nil, logger: Logger = Logger(label: "reveille"),
    isolation: isolated (any Actor)? = #isolation, _ operation: (Device) async throws -> Value
) async throws -> Value {
    let device = try await Device.connect(to: address, logger: logger)
    let result: Result<Value, any Error>
    do { result = .success(try await operation(device)) } catch { result = .failure(error) }
    await device.close()
    return try result.get()
}

/// Whether the bus of a ``Device`` is reachable.
@nonexhaustive public enum ConnectionState: Sendable, Hashable {
    /// The bus answers.
    case connected
    /// The bus is gone; the device reconnects automatically, and subscriptions continue where they were.
    case disconnected(ReveilleError)
}
