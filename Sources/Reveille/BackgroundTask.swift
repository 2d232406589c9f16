// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleSystem

extension Subscription {
    /// Runs an operation that the program wants to finish before it is suspended.
    ///
    /// The bus lists the task while the operation runs, and does not suspend the program before its tasks have ended or
    /// their time is over. All tasks of the process share the time, 30 seconds in the background by default. From five
    /// seconds before the end, the task is expiring, and the operation should save its work.
    ///
    /// ```swift
    /// func upload(_ parts: [[UInt8]], send: ([UInt8]) async throws -> Void) async throws {
    ///     try await subscription.withBackgroundTask("upload") { task in
    ///         for part in parts where !task.isExpiring { try await send(part) }
    ///     }
    /// }
    /// ```
    ///
    /// The operation is not cancelled automatically; ``withBackgroundTask(_:onExpiration:operation:)`` does that.
    ///
    /// The task ends when the operation returns or throws, or when the program ends. The operation always runs. If the
    /// bus is gone, is of an earlier version, or has too many tasks of this user, it does not wait, and
    /// ``BackgroundTask/failure`` is the reason. When a lost bus returns, the task begins again with all of its time.
    ///
    /// - Parameters:
    ///   - name: The name of the task, as `reveille status` shows it: 1 to 128 bytes.
    ///   - isolation: The actor of the caller, on which the operation runs.
    ///   - operation: The operation, which runs once the bus has answered or cannot be reached.
    ///   - onExpiration: Called at most once, when the time is about to end, or has ended. It runs on the thread of the
    ///     device and must not block.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation.
    public func withBackgroundTask<Value, Failure: Error>(
        _ name: String, isolation: isolated (any Actor)? = #isolation,
        operation: (BackgroundTask) async throws(Failure) -> Value,
        onExpiration: @escaping @Sendable () -> Void = {}
    ) async throws(Failure) -> Value {
        let task = BackgroundTask(name, of: id, engine: device.engine, onExpiration: onExpiration)
        let number = await device.engine.beginTask(task, of: id)
        let result: Result<Value, Failure>
        do throws(Failure) {
            result = .success(try await operation(task))
        } catch {
            result = .failure(error)
        }
        await device.engine.endTask(number)
        return try result.get()
    }
}

/// The treatment of a background task whose time is about to end.
@nonexhaustive public enum TaskExpiration: Sendable, Hashable {
    /// The operation is cancelled.
    case cancel
}

extension Subscription {
    /// Runs an operation, as ``withBackgroundTask(_:isolation:operation:onExpiration:)`` does, in a task of
    /// its own that is cancelled when the time is about to end.
    ///
    /// ```swift
    /// try await subscription.withBackgroundTask("sync", onExpiration: .cancel) { _ in
    ///     try await Task.sleep(for: .seconds(1))
    /// }
    /// ```
    ///
    /// - Throws: The error of the operation, which is a `CancellationError` for most cancelled operations.
    public func withBackgroundTask<Value: Sendable>(
        _ name: String, onExpiration: TaskExpiration,
        operation: @escaping @Sendable (BackgroundTask) async throws -> Value
    ) async throws -> Value {
        let work = Lock<Task<Value, any Error>?>(nil)
        return try await withBackgroundTask(name) { task in
            let child = Task { try await operation(task) }
            work.withLock { $0 = child }
            // The time may have been about to end before.
            if task.isExpiring { child.cancel() }
            return try await withTaskCancellationHandler {
                try await child.value
            } onCancel: {
                child.cancel()
            }
        } onExpiration: {
            work.withLock { $0 }?.cancel()
        }
    }
}

extension Device {
    /// Runs an operation that the program wants to finish before it is suspended, without a subscription at hand, as
    /// ``Subscription/withBackgroundTask(_:isolation:operation:onExpiration:)`` does.
    ///
    /// ```swift
    /// await device.withBackgroundTask("save") { task in print(task.isExpiring) }
    /// ```
    ///
    /// A program without a subscription in the foreground counts as in the background: the time begins at once.
    ///
    /// - Throws: The error of the operation, and nothing else.
    public func withBackgroundTask<Value, Failure: Error>(
        _ name: String, isolation: isolated (any Actor)? = #isolation,
        operation: (BackgroundTask) async throws(Failure) -> Value,
        onExpiration: @escaping @Sendable () -> Void = {}
    ) async throws(Failure) -> Value {
        let subscription: Subscription
        do throws(ReveilleError) {
            subscription = try await open([.lifecycle], SubscriptionOptions(background: true))
        } catch {
            return try await operation(BackgroundTask(name, failure: error, engine: engine))
        }
        return try await subscription.withBackgroundTask(name, operation: operation, onExpiration: onExpiration)
    }

    /// Runs an operation in a task of its own that is cancelled when the time is about to end, as
    /// ``Subscription/withBackgroundTask(_:onExpiration:operation:)`` does.
    ///
    /// ```swift
    /// try await device.withBackgroundTask("sync", onExpiration: .cancel) { _ in
    ///     try await Task.sleep(for: .seconds(1))
    /// }
    /// ```
    ///
    /// - Throws: The error of the operation, which is a `CancellationError` for most cancelled operations.
    public func withBackgroundTask<Value: Sendable>(
        _ name: String, onExpiration: TaskExpiration,
        operation: @escaping @Sendable (BackgroundTask) async throws -> Value
    ) async throws -> Value {
        let subscription: Subscription
        do throws(ReveilleError) {
            subscription = try await open([.lifecycle], SubscriptionOptions(background: true))
        } catch {
            return try await operation(BackgroundTask(name, failure: error, engine: engine))
        }
        return try await subscription.withBackgroundTask(name, onExpiration: onExpiration, operation: operation)
    }
}

/// A task that a program wants to finish before it is suspended; see
/// ``Subscription/withBackgroundTask(_:isolation:operation:onExpiration:)``.
///
/// Safe to use from any thread and any actor.
public final class BackgroundTask: Sendable {
    private struct State {
        var isExpiring = false
        var hasEnded = false
        var failure: ReveilleError?
        var onExpiration: (@Sendable () -> Void)?
    }

    /// Creates a task for which no bus waits.
    convenience init(_ name: String, failure: ReveilleError, engine: Engine) {
        self.init(name, of: 0, engine: engine, onExpiration: {})
        fail(failure)
    }

    /// The name of the task.
    public let name: String
    private let stream: StreamID
    private let engine: Engine
    private let state: Lock<State>

    init(_ name: String, of stream: StreamID, engine: Engine, onExpiration: @escaping @Sendable () -> Void) {
        self.name = name
        self.stream = stream
        self.engine = engine
        state = Lock(State(onExpiration: onExpiration))
    }

    /// Whether the time is about to end or has ended, so that the operation should finish.
    ///
    /// It remains true if the program returns to the foreground; the next task has all of its time again.
    public var isExpiring: Bool { state.withLock { $0.isExpiring } }

    /// The remaining time, requested from the bus.
    ///
    /// `nil` in the foreground, where there is no limit, and if the bus has no such task.
    public var remaining: Duration? {
        get async { hasEnded ? .zero : await engine.remaining(of: name, of: stream) }
    }

    /// The reason why the bus does not wait for the task; `nil` if the bus has the task, or its time has ended.
    public var failure: ReveilleError? { state.withLock { $0.failure } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func update(_ new: TaskState) {
        let handler = state.withLock { state in
            state.failure = nil
            state.hasEnded = new.hasEnded
            guard new.isExpiring || new.hasEnded, !state.isExpiring else { return nil as (@Sendable () -> Void)? }
            state.isExpiring = true
            return state.onExpiration
        }
        handler?()
    }

    func fail(_ error: ReveilleError) {
        state.withLock { $0.failure = error }
    }
}
