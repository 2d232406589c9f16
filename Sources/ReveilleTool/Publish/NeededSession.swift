// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire
import Varlink

/// One run of `reveille publish NAME - --needed`: its command runs while somebody needs the name, and prints the states.
///
/// An actor on the loop of one thread, which the device uses too. Of the states that are printed while one is on its way,
/// the newest that the bus accepts is published.
actor NeededSession {
    /// No bus accepts a longer state.
    private static let longestLine = Limits.frame

    /// The bytes of a wrong line in an error: enough to recognize it.
    private static let shownLength = 60

    /// The printed lines that wait: more than a program prints in a row that the bus refuses.
    private static let waitingLimit = 16

    private let name: Aspect
    private let command: [String]
    private let bus: BusOptions
    private let following: AwaitedTask
    private nonisolated let ending = Lock<Int32?>(nil)
    private let prints: AsyncStream<Void>
    private let printed: AsyncStream<Void>.Continuation
    /// The lines that were printed while a state was on its way, and their states.
    private var waiting: [(line: [UInt8], state: JSONObject)] = []
    private var sources: [EventSource] = []
    private var output: (source: EventSource, pipe: Pipe)?
    private var program: Program?
    private var line: [UInt8] = []
    private var isNeeded = false
    /// Whether the command is to start: once for each beginning of the need.
    private var isDue = false

    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(_ name: Aspect, _ command: [String], _ bus: BusOptions, _ following: AwaitedTask) throws {
        (self.name, self.command, self.bus, self.following) = (name, command, bus, following)
        (prints, printed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        thread = try LoopThread()
    }

    /// Runs until a signal ends the session, or the bus refuses the name.
    static func run(_ name: Aspect, _ command: [String], _ bus: BusOptions) throws {
        // Before any thread is started: threads inherit the signal mask.
        for number in Signals.ending + [SIGCHLD] { EventLoop.block(number) }
        let following = try AwaitedTask()
        let session = try NeededSession(name, command, bus, following)
        following.start(on: session.thread) { try await session.follow() }
        try following.wait()
        if let signal = session.ending.withLock({ $0 }) { Signals.die(by: signal) }
    }

    private func follow() async throws {
        for number in Signals.ending {
            sources.append(try thread.loop.onSignal(number) { self.end(by: number) })
        }
        sources.append(try thread.loop.onSignal(SIGCHLD) { self.programMayHaveEnded() })
        let device = try await Device.connect(to: bus.address, on: thread)
        defer { program?.signal(SIGTERM) }
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.publish(on: device) }
            group.addTask { try await self.followDemand(on: device) }
            group.addTask { try await device.reportConnection { Console.error($0) } }
            try await group.next()
            group.cancelAll()
        }
    }

    private func publish(on device: Device) async throws {
        for await _ in prints {
            while let (line, state) = waiting.popLast() {
                let earlier = waiting
                waiting = []
                do throws(ReveilleError) {
                    try await device.publish(name, state, whileConnected: true)
                } catch {
                    // The device publishes the newest state when the bus is back.
                    if error.isLoss { continue }
                    guard error.code == .quotaExceeded || error.code == .invalidArgument else { throw error }
                    report(line, "\(error)")
                    waiting = earlier + waiting
                }
            }
        }
    }

    private func followDemand(on device: Device) async throws {
        for try await isNeeded in device.demand(for: name) {
            self.isNeeded = isNeeded
            isDue = isNeeded
            if isNeeded { try start() } else { program?.signal(SIGTERM) }
        }
    }

    private func end(by number: Int32) {
        ending.withLock { $0 = number }
        guard let program else { return following.end.wake() }
        program.pass(number)
    }

    // MARK: - The command

    private func start() throws {
        guard isDue, program == nil, ending.withLock({ $0 == nil }) else { return }
        isDue = false
        let pipe = try Pipe()
        program = try Program(
            command, environment: Environment.all, descriptors: [STDOUT_FILENO: pipe.writable])
        pipe.closeWritingEnd()
        output = (try thread.loop.watch(pipe.readingEnd, for: .readable) { _ in self.read() }, pipe)
    }

    private func programMayHaveEnded() {
        guard let program, program.hasEnded, let code = program.exitCode else { return }
        // What it has printed last.
        while output != nil, read() {}
        if output != nil { endOutput() }
        self.program = nil
        guard ending.withLock({ $0 == nil }) else { return following.end.wake() }
        if code != 0, isNeeded { Console.error("reveille: \(command[0]): exit code \(code)") }
        do { try start() } catch { following.fail(error) }
    }

    /// Reads what the command has printed; returns whether there may be more.
    @discardableResult
    private func read() -> Bool {
        guard let pipe = output?.pipe, (try? Readiness.wait(pipe.readingEnd, for: .readable, atMost: .zero)) == true
        else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(pipe.readingEnd, &bytes, bytes.count)
        guard count > 0 else {
            endOutput()
            return false
        }
        var parts = bytes[..<count].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let rest = parts.removeLast()
        for part in parts {
            take(line + part)
            line = []
        }
        // The rest of a longer line changes nothing: it is refused as it is.
        line += rest.prefix(max(0, Self.longestLine + 1 - line.count))
        return true
    }

    /// Takes the last line, which need not have an end.
    private func endOutput() {
        output = nil
        take(line)
        line = []
    }

    private func take(_ line: [UInt8]) {
        guard line.contains(where: { $0 > UInt8(ascii: " ") }) else { return }
        do throws(JSONError) {
            let value = try JSON.parse(line, maximumDepth: PublishedValue.depthLimit)
            guard let object = value.objectValue else { return report(line, "not a JSON object") }
            waiting = waiting.suffix(Self.waitingLimit - 1) + [(line, object)]
            printed.yield()
        } catch {
            report(line, "\(error)")
        }
    }

    private func report(_ line: [UInt8], _ reason: String) {
        let text = String(decoding: line.prefix(Self.shownLength), as: UTF8.self).printable
        Console.error("reveille: \(command[0]) printed '\(text)', which is not published as \(name): \(reason)")
    }
}
