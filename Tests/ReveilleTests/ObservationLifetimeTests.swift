// SPDX-License-Identifier: Apache-2.0

import ReveilleLocal
import ReveilleTesting
import Testing

@testable import Reveille

private actor Screen {
    private var observation: ObservationToken?
    private let show: @Sendable (Int) -> Void

    init(show: @escaping @Sendable (Int) -> Void) {
        self.show = show
    }

    func follow(_ device: Device) async throws {
        observation = try await device.observe(.proximity) { [weak self] event in
            self?.assumeIsolated { $0.show(event.changeCount) }
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ObservationLifetimeTests {
    @Test func actorThatStoresItsObservationIsReleasedWithItsLastOwner() async throws {
        let device = try await Device.inMemory()
        let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
        weak var gone: Screen?
        do {
            let screen = Screen { continuation.yield($0) }
            gone = screen
            try await screen.follow(device)
            try await device.post(.proximity(.near))
            var iterator = calls.makeAsyncIterator()
            #expect(await iterator.next() == 1)
        }
        while gone != nil { await Task.yield() }
        try await waitUntilAllSubscriptionsEnd(to: device)
    }

    @Test func actorAtTheAddressOfAReleasedActorHasItsOwnQueue() {
        let queues = ObserverQueues()
        // The queues of released actors remain, and some actors reuse the memory of released ones.
        var kept: [ObserverQueue] = []
        for _ in 0..<100 {
            let screen = Screen { _ in }
            let queue = queues.queue(on: screen)
            #expect(queue.belongs(to: screen))
            #expect(queues.queue(on: screen) === queue)
            kept.append(queue)
        }
    }
}
