// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

@testable import Reveille

/// Programs on buses that do whatever can be done at the other end of a socket.
@Suite(.timeLimit(.minutes(10))) struct HostileLifeTests {
    private static let workers = 8
    private static let rounds = 40

    @Test func hostileBusEndsNoProgramAndLeavesNothing() async throws {
        let directory = try TemporaryDirectory()
        // In a process of its own, whose end and whose descriptors can be seen.
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            let before = try OpenDescriptors.count()
            await withTaskGroup { group in
                for worker in 0..<Self.workers {
                    group.addTask {
                        for round in 0..<Self.rounds {
                            await Self.play(UInt64(round * Self.workers + worker), in: path)
                        }
                    }
                }
            }
            // The runtime opens some for itself.
            let allowed = before + 10
            let after = try await OpenDescriptors.settled(at: allowed)
            if after > allowed { Self.note("\(after - before) descriptors are left", in: "\(path)/faults") }
        }
        #expect(directory.read("faults") == "")
        let unfinished = try DirectoryListing.files(in: directory.path).filter { $0.hasPrefix("seed") }
        #expect(unfinished == [], "these were being played as the process ended")
    }

    /// Plays one life; what is found goes to a file, as the process may not live to tell.
    private static func play(_ seed: UInt64, in path: String) async {
        note("", in: "\(path)/seed \(seed)")
        let connections = Lock<UInt64>(0)
        let bus = try? MadeUpBus(at: "\(path)/bus \(seed)") { peer in
            let number = connections.withLock { number in
                number += 1
                return number
            }
            // The first answer is as it should be, so that there is a device to play with.
            if number == 1, peer.next() != nil { peer.answer() }
            var script = HostileScript(seed: seed << 16 | number)
            script.talk(peer)
        }
        guard let bus else { return note("seed \(seed): no bus", in: "\(path)/faults") }
        for fault in await HostileLife.live(seed: seed, on: bus.address) {
            note("seed \(seed): told in the background: \(fault)", in: "\(path)/faults")
        }
        bus.stop()
        unlink("\(path)/seed \(seed)")
    }

    private static func note(_ line: String, in path: String) {
        guard let file = fopen(path, "a") else { return }
        fputs(line + "\n", file)
        fclose(file)
    }
}
