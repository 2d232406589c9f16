// SPDX-License-Identifier: Apache-2.0

import ReveilleFleetCore
import ReveilleSystem

/// The part of a fleet that runs on its own thread: a reader, with a connection of its own, for each consumer.
///
/// An actor whose executor is the thread's loop, because connections and timers belong to one thread.
actor FleetEngine {
    private nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let broker: any KeptMessages
    private var readers: [Int: FleetReader] = [:]
    private var lastReader = 0
    private var isInBackground = false
    /// The connection of the first check.
    private var first: (any FleetReading)?

    init(_ broker: sending any KeptMessages) throws(SystemError) {
        self.broker = broker
        thread = try LoopThread()
    }

    // What uses the loop is released on its thread.
    isolated deinit {}

    /// Connects once, to check whether the broker accepts this client.
    func check() async throws(FleetError) {
        let result: Result<Void, FleetError> = await withCheckedContinuation { continuation in
            do throws(FleetError) {
                first = try broker.read([], on: thread.loop) { event in
                    guard let first = self.first else { return }
                    self.first = nil
                    if case .ended(let error) = event { return continuation.resume(returning: .failure(error)) }
                    first.close()
                    continuation.resume(returning: .success(()))
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        try result.get()
    }

    /// Changes what readers read, which only a test does.
    func change(_ body: @Sendable (any KeptMessages) -> Bool) -> Bool { body(broker) }

    /// Starts to read into a mailbox, and returns the number of the reader.
    func open(_ interest: FleetInterest, _ mailbox: FleetMailbox) -> Int {
        lastReader += 1
        let reader = FleetReader(broker, interest: interest, into: mailbox, on: thread.loop)
        readers[lastReader] = reader
        if !isInBackground { reader.wake() }
        return lastReader
    }

    /// Ends a reader, unless it has ended already.
    func close(_ number: Int) {
        readers.removeValue(forKey: number)?.sleep()
    }

    func background() {
        isInBackground = true
        for reader in readers.values { reader.sleep() }
    }

    func wake() {
        isInBackground = false
        for reader in readers.values { reader.wake() }
    }
}
