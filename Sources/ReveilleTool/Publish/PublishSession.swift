// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleTesting
import Varlink

/// One run of `reveille publish --while`: its published state, its signals and its command.
///
/// The loop of the main thread handles signals, and starts the command once the state is published. The state is tied
/// to the device's connection, which ends with the process: the bus withdraws the state before it serves later
/// connections.
final class PublishSession {
    private let name: Aspect
    private let value: JSONObject
    private let bus: BusOptions
    private let command: [String]
    private let loop: CommandLoop
    private let publication: AwaitedTask
    /// Retains the device to whose connection the state is tied.
    private let device = Lock<Device?>(nil)
    private var failure: (any Error)?

    init(_ name: Aspect, _ value: JSONObject, bus: BusOptions, command: [String]) throws {
        self.name = name
        self.value = value
        self.bus = bus
        self.command = command
        loop = try CommandLoop()
        publication = try AwaitedTask()
    }

    /// Publishes the state and runs the command; returns its exit code, or 128 plus the signal that ended it.
    func run() throws -> Int32 {
        try loop.passSignalsOn()
        loop.add(try loop.events.watch(publication.end.readingEnd, for: .readable) { [unowned self] _ in start() })
        publication.start { [name, value, bus, device] in
            let publisher = try await bus.device()
            try await publisher.publish(name, value, whileConnected: true)
            device.withLock { $0 = publisher }
        }
        try loop.run()
        if let failure { throw failure }
        if let signal = loop.signal { Signals.die(by: signal) }
        return loop.program?.exitCode ?? Failure.Code.failure.rawValue
    }

    /// Starts the command if the state has been published.
    private func start() {
        publication.end.drain()
        do {
            try publication.check()
            loop.program = try Program(command, environment: ChildProcess.environment)
        } catch {
            failure = error
            loop.events.exit()
        }
    }
}
