// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem
import ReveilleWire
import Varlink

/// One run of `reveille publish NAME - --needed`: its command runs while somebody needs the name, and prints the states.
///
/// An actor on the loop of its session. Of the states that are printed while one is on its way, the newest that the bus
/// accepts is published.
actor NeededSession {
    /// No bus accepts a longer state.
    private static let longestLine = Limits.frame

    /// The bytes of a wrong line in an error: enough to recognize it.
    private static let shownLength = 60

    /// The printed lines that wait: more than a program prints in a row that the bus refuses.
    private static let waitingLimit = 16

    private let name: Aspect
    private let command: [String]
    private let session: CommandSession
    private let prints: AsyncStream<Void>
    private let printed: AsyncStream<Void>.Continuation
    /// The lines that were printed while a state was on its way, and their states.
    private var waiting: [(line: [UInt8], state: JSONObject)] = []
    private var output: (source: EventSource, pipe: Pipe)?
    private var line: [UInt8] = []
    private var isNeeded = false
    /// Whether the command is to start: once for each beginning of the need.
    private var isDue = false

    private nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ name: Aspect, _ command: [String], _ session: sending CommandSession, on thread: LoopThread) {
        (self.name, self.command, self.thread) = (name, command, thread)
        (prints, printed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.session = session
    }

    /// Goes on until the bus refuses the name.
    func follow(_ device: Device) async throws {
        defer { session.signal(SIGTERM) }
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.publish(on: device) }
            group.addTask { try await self.followDemand(on: device) }
            try await group.next()
            group.cancelAll()
        }
    }

    private func publish(on device: Device) async throws {
        for await _ in prints {
            while let (line, state) = waiting.popLast() {
                let earlier = waiting
                waiting = []
                do {
                    try await device.publish(PublishedName(name), state, whileConnected: true)
                } catch let error as ReveilleError where error.isLoss {
                    // The device publishes the newest state when the bus is back.
                } catch let error as ReveilleError
                    where error.code == .quotaExceeded || error.code == .invalidArgument
                {
                    report(line, "\(error)")
                    waiting = earlier + waiting
                }
            }
        }
    }

    private func followDemand(on device: Device) async throws {
        for try await isNeeded in device.demand(for: PublishedName<JSONObject>(name)) {
            self.isNeeded = isNeeded
            isDue = isNeeded
            if isNeeded { try start() } else { session.signal(SIGTERM) }
        }
    }

    // MARK: - The command

    private func start() throws {
        guard isDue, !session.isRunning, !session.isEnding else { return }
        isDue = false
        let pipe = try Pipe()
        try session.start(command, descriptors: [STDOUT_FILENO: pipe.writable]) { try self.finish($0) }
        pipe.closeWritingEnd()
        output = (try thread.loop.watch(pipe.readingEnd, for: .readable) { _ in self.read() }, pipe)
    }

    private func finish(_ code: Int32) throws {
        // The last lines that it has printed.
        while output != nil, read() {}
        if output != nil { endOutput() }
        if code != 0, isNeeded, !session.isEnding { Console.error("reveille: \(command[0]): exit code \(code)") }
        try start()
    }

    /// Reads the output of the command; returns whether there may be more.
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
