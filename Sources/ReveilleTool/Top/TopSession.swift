// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import Reveille
import ReveilleConsole
import ReveilleSystem

/// One run of `reveille top` on a terminal.
///
/// The loop of the main thread handles keys, signals and the timer, and draws. The bus is polled while this process has
/// the terminal, by one poll at a time.
final class TopSession {
    /// The alternate screen without a cursor and without automatic line breaks, which a terminal that measures a
    /// character differently would make.
    private static let enterScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leaveScreen = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private let loop: CommandLoop
    private let job: TerminalJob
    private let feed: TopFeed
    private let following: AwaitedTask
    private let pace: TopPace
    private var model: TopModel
    private var decoder = KeyDecoder()
    private var timer: EventSource?
    /// What the terminal shows; `nil` if it is unknown.
    private var shown: Screen?
    private var hasTerminal = false
    private var isPolling = false
    private var polls = 0
    private var failure: Failure?

    init(_ command: TopCommand) throws {
        loop = try CommandLoop()
        job = TerminalJob(loop.events)
        feed = try TopFeed(command.bus)
        following = try AwaitedTask()
        pace = command.pace
        model = TopModel(address: (try? command.bus.resolved())?.description ?? "")
    }

    /// Shows the bus until the user quits, a signal arrives or the count of polls is reached.
    func run() throws {
        try loop.endOnSignals()
        try loop.follow(following)
        loop.add(try loop.events.onSignal(SIGWINCH) { [unowned self] in draw() })
        loop.add(try loop.events.watch(feed.signal.readingEnd, for: .readable) { [unowned self] _ in receive() })
        timer = try loop.events.timer { [unowned self] in poll() }
        job.onEnter = { [unowned self] in enter() }
        job.onLeave = { [unowned self] isOurs in leave(isOurs) }
        job.onKeys = { [unowned self] in press($0) }
        job.onEnd = { [unowned self] error in
            failure = error.map { Failure(.failure, "\($0)") }
            loop.events.exit()
        }
        try job.start()
        following.start { [feed] in try await feed.run() }
        try loop.run()
        job.leave()
        try following.check()
        if let failure { throw failure }
    }

    // MARK: - The bus

    private func poll() {
        guard hasTerminal, !isPolling else { return }
        isPolling = true
        feed.send(.poll(model.request))
    }

    private func receive() {
        for report in feed.take() {
            switch report {
            case .poll(let poll):
                model.receive(poll)
                polls += 1
                next(after: poll.cost)
            case .lost(let reason):
                model.lose(reason)
                next(after: .zero)
            case .done(let text):
                model.message = TopModel.Message(text: text)
                poll()
            case .refused(let text):
                model.message = TopModel.Message(text: text, isTrouble: true)
                poll()
            }
        }
        draw()
        if let count = pace.count, polls >= count { loop.events.exit() }
    }

    private func next(after cost: Duration) {
        isPolling = false
        timer?.fire(after: pace.pause(after: cost))
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
            case .quit: return loop.events.exit()
            case .redraw: shown = nil
            case .change(let change): feed.send(.change(change))
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
