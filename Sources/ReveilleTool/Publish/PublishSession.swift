// SPDX-License-Identifier: Apache-2.0

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
    private let options: PublishCommand
    private let value: JSONObject
    private let loop: CommandLoop
    private let publication: AwaitedTask
    private var publicationEnd: EventSource?
    /// Retains the device to whose connection the state is tied.
    private let device = Lock<Device?>(nil)
    private var failure: (any Error)?

    init(_ options: PublishCommand, _ value: JSONObject) throws {
        self.options = options
        self.value = value
        loop = try CommandLoop()
        publication = try AwaitedTask()
    }

    /// Publishes the state and runs the command; returns its exit code, or 128 plus the signal that ended it.
    func run() throws -> Int32 {
        try loop.passSignalsOn()
        publicationEnd = try loop.events.watch(publication.end.readingEnd, for: .readable) { [unowned self] _ in
            start()
        }
        publication.start { [options, value, device] in
            let publisher = try await options.bus.device()
            try await publisher.publish(options.name, value, whileConnected: true)
            device.withLock { $0 = publisher }
        }
        try loop.events.run()
        if let failure { throw failure }
        if let signal = loop.signal { Signals.die(by: signal) }
        return loop.program?.exitCode ?? Failure.Code.failure.rawValue
    }

    private func start() {
        publication.end.drain()
        do {
            try publication.check()
            loop.program = try Program(options.command, environment: ChildProcess.environment)
        } catch {
            failure = error
            loop.events.exit()
        }
    }
}
