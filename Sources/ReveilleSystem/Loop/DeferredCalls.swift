// SPDX-License-Identifier: Apache-2.0

/// Calls that the loop makes after the current handler has returned, in order.
///
/// Loop thread only. A completion that is called before its function returns finds its caller in the middle of a change.
final class DeferredCalls {
    private let loop: any Loop
    private var calls: [() -> Void] = []
    private var timer: (any LoopSource)?

    init(loop: any Loop) {
        self.loop = loop
    }

    /// Adds a call; it is dropped if this object is released before.
    func add(_ call: @escaping () -> Void) {
        if timer == nil { timer = try? loop.timer { [weak self] in self?.run() } }
        // Without memory for a timer, a call that is early is better than none.
        guard let timer else { return call() }
        calls.append(call)
        timer.fire(after: .zero)
    }

    private func run() {
        let due = calls
        calls = []
        for call in due { call() }
    }
}
