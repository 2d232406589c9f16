// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing

@testable import Reveille

/// Programs on buses with arbitrary behavior.
@Suite(.timeLimit(.minutes(10))) struct HostileLifeTests {
    private static let workers = 8
    private static let rounds = 12

    // Swift 6.2 has no values in tests of a process's end.
    #if compiler(>=6.3)
        @Test func hostileBusNeitherEndsAProgramNorLeaksDescriptors() async throws {
            let directory = try TemporaryDirectory()
            // A separate process, to detect its end and count its descriptors.
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
                // The runtime opens some descriptors.
                let allowed = before + 10
                let after = try await OpenDescriptors.settled(at: allowed)
                if after > allowed { Self.note("\(after - before) descriptors are left", in: "\(path)/faults") }
            }
            #expect(directory.read("faults") == "")
            let unfinished = try DirectoryListing.files(in: directory.path).filter { $0.hasPrefix("seed") }
            #expect(unfinished == [], "these lives were running when the process ended")
        }
    #endif

    /// Runs a life and writes its faults to a file, which remains if the process ends.
    private static func play(_ seed: UInt64, in path: String) async {
        note("", in: "\(path)/seed \(seed)")
        let connections = Lock(0)
        let bus = try? MadeUpBus(at: "\(path)/bus \(seed)") { peer in
            let number = connections.increment()
            // The first reply is valid, so that the device can be created.
            if number == 1, peer.next() != nil { peer.answer() }
            var script = HostileScript(seed: seed << 16 | UInt64(number))
            script.talk(peer)
        }
        guard let bus else { return note("seed \(seed): no bus", in: "\(path)/faults") }
        for fault in await HostileLife.live(seed: seed, on: bus.address) {
            note("seed \(seed): delivered in the background: \(fault)", in: "\(path)/faults")
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
