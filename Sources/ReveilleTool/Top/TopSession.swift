// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem

/// One run of `reveille top` on a terminal.
///
/// An actor on the loop of one thread, which handles keys, signals and the timer, draws, and serves the device. One
/// poll at a time asks the bus while this process has the terminal.
actor TopSession {
    /// The alternate screen without a cursor and without automatic line breaks: terminals may measure a character
    /// differently.
    private static let enterScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leaveScreen = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private let bus: BusOptions
    private let pace: TopPace
    private var job: TerminalJob?
    private var device: Device?
    private var model: TopModel
    private var decoder = KeyDecoder()
    private var sources: [EventSource] = []
    private var timer: EventSource?
    /// The screen on the terminal; `nil` if unknown.
    private var shown: Screen?
    private var hasTerminal = false
    private var isPolling = false
    private var polls = 0
    private var ending: CheckedContinuation<(any Error)?, Never>?

    private init(_ bus: BusOptions, _ pace: TopPace) throws {
        thread = try LoopThread()
        self.bus = bus
        self.pace = pace
        model = TopModel(address: (try? bus.resolved())?.description ?? "")
    }

    /// Shows the bus until the user quits, a signal arrives or the count of polls is reached.
    static func run(_ bus: BusOptions, _ pace: TopPace) throws {
        // Before any thread is started: threads inherit the signal mask.
        for number in Signals.ending + [SIGWINCH] + TerminalJob.signals { EventLoop.block(number) }
        let following = try AwaitedTask()
        let session = try TopSession(bus, pace)
        following.start(on: session.thread) { try await session.show() }
        try following.wait()
    }

    private func show() async throws {
        let failure = await withCheckedContinuation { continuation in
            ending = continuation
            do { try begin() } catch { end(error) }
        }
        job?.leave()
        if let failure { throw failure }
    }

    private func end(_ failure: (any Error)? = nil) {
        ending?.resume(returning: failure)
        ending = nil
    }

    private func begin() throws {
        for signal in Signals.ending { sources.append(try thread.loop.onSignal(signal) { self.end() }) }
        sources.append(try thread.loop.onSignal(SIGWINCH) { self.draw() })
        timer = try thread.loop.timer { self.poll() }
        let job = TerminalJob(thread.loop)
        self.job = job
        job.onEnter = { self.enter() }
        job.onLeave = { isOurs in self.leave(isOurs) }
        job.onKeys = { self.press($0) }
        job.onEnd = { error in self.end(error.map { Failure(.failure, "\($0)") }) }
        try job.start()
        Task { await connect() }
    }

    // MARK: - The bus

    private func connect() async {
        do {
            device = try await Device.connect(to: bus.address, logger: .warnings, on: thread)
            poll()
        } catch {
            end(error)
        }
    }

    private func poll() {
        guard hasTerminal, !isPolling, let device else { return }
        isPolling = true
        Task { await poll(device) }
    }

    private func poll(_ device: Device) async {
        var cost: Duration = .zero
        do {
            let poll = try await TopPoll.take(from: device, model.request)
            model.receive(poll)
            polls += 1
            cost = poll.cost
        } catch {
            model.lose("\(error)")
        }
        isPolling = false
        timer?.fire(after: pace.pause(after: cost))
        draw()
        if let count = pace.count, polls >= count { end() }
    }

    private func carryOut(_ change: TopChange) async {
        guard let device else { return }
        do {
            model.message = TopModel.Message(text: try await device.carryOut(change))
        } catch {
            model.message = TopModel.Message(text: "\(change.name): \(error)", isTrouble: true)
        }
        poll()
        draw()
    }

    // MARK: - The terminal

    private func enter() {
        hasTerminal = Console.draw(Self.enterScreen)
        shown = nil
        draw()
        poll()
    }

    private func leave(_ isOurs: Bool) {
        if hasTerminal, isOurs { _ = Console.draw(Self.leaveScreen) }
        hasTerminal = false
    }

    private func press(_ bytes: [UInt8]) {
        for key in decoder.keys(in: bytes) {
            switch model.press(key) {
            case .quit: return end()
            case .redraw: shown = nil
            case .change(let change): Task { await carryOut(change) }
            case nil: break
            }
        }
        draw()
    }

    private func draw() {
        guard hasTerminal else { return }
        model.size = Terminal.size(of: STDOUT_FILENO) ?? (80, 24)
        let screen = model.draw()
        let output = screen.output(after: shown, isColored: Console.isColored)
        // A part of a frame leaves the terminal in an unknown state.
        shown = Console.draw(output) ? screen : nil
    }
}
