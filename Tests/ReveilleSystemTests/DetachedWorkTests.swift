// SPDX-License-Identifier: Apache-2.0

import ReveilleSystem
import Testing

@Suite(.timeLimit(.minutes(10))) struct DetachedWorkTests {
    @Test("the loop goes on while detached work blocks, and then calls the completion") func detachedWork() throws {
        let loop = try EventLoop()
        let gate = try Pipe()
        let timer = try loop.timer { gate.wake() }
        let work = try loop.detach {
            _ = gate.waitForWake()
        } then: {
            loop.exit()
        }
        timer.fire(after: .zero)
        try loop.run()
        withExtendedLifetime(work) {}
    }

    @Test("detached work can be waited for, and is done without its completion if it is released")
    func detachedWorkWithoutTheLoop() throws {
        let loop = try EventLoop()
        let (gate, done) = (try Pipe(), try Pipe())
        var completions = 0
        try loop.detach({}, then: { completions += 1 }).finish()
        #expect(completions == 1)
        var released: (any DetachedWork)? = try loop.detach {
            _ = gate.waitForWake()
            done.wake()
        } then: {
            completions += 1
        }
        #expect(released != nil)
        released = nil
        gate.wake()
        #expect(done.waitForWake())
        let timer = try loop.timer { loop.exit() }
        timer.fire(after: .zero)
        try loop.run()
        #expect(completions == 1)
    }
}
