// SPDX-License-Identifier: Apache-2.0

import Testing

/// Programs that only the compiler can judge.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PublicInterfaceTests {
    @Test("no public name hides a module or a type of the toolchain") func namesOfTheToolchainAreFree() throws {
        let run = try SwiftCompiler.check(
            """
            import Foundation
            import Observation
            import Reveille
            import ReveilleLocal
            import ReveilleTesting
            import Synchronization
            import Testing
            import Varlink

            @Observable final class Model {
                var level = 0.5
                private let registrar = Observation.ObservationRegistrar()
            }

            @Suite struct ModelTests {
                @Test func levelIsHalf() { #expect(Model().level == 0.5) }
            }
            func use(
                _: Mutex<Int>.Type, _: Date, _: Data, _: Locale, _: Calendar, _: Foundation.TimeZone, _: Notification,
                _: UserDefaults, _: Process, _: Bundle, _: URL, _: Timer, _: Progress, _: Operation, _: Host, _: Stream,
                _: Task<Void, Never>, _: Duration, _: any Clock, _: Testing.Issue, _: Testing.Tag, _: any Testing.Trait
            ) {}
            """)
        #expect(run.code == 0, "\(run.errors)")
    }

    private static let races = [
        ("observe(.battery) { _ in counter.count += 1 }", "nil"),
        ("observeConcurrently(.battery) { _ in counter.count += 1 }", "non-Sendable"),
    ]

    @Test("a closure that would race with its creator does not compile", arguments: races)
    func racesAreRefused(call: String, reason: String) throws {
        let run = try SwiftCompiler.check(
            """
            import Reveille

            final class Counter { var count = 0 }

            func race(_ device: Device) async throws {
                let counter = Counter()
                let observation = try await device.\(call)
                while counter.count < 1_000_000 { await Task.yield() }
                observation.cancel()
            }
            """)
        #expect(run.code != 0)
        #expect(run.errors.contains(reason), "\(run.errors)")
    }
}
