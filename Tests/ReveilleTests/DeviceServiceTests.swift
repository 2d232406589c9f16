// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
    import Logging
    import Reveille
    import ReveilleTesting
    import ServiceLifecycle
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct DeviceServiceTests {
        private struct Watcher: Service {
            let device: Device
            let isWatching: AsyncStream<Void>.Continuation

            func run() async throws {
                for try await _ in device.updates(of: .battery).cancelOnGracefulShutdown() { isWatching.yield() }
            }
        }

        @Test func shutdownOfAServiceGroupClosesTheDeviceAfterItsUsers() async throws {
            let device = try await TestDevice.inMemory()
            let (watching, isWatching) = AsyncStream.makeStream(of: Void.self)
            let group = ServiceGroup(
                services: [device, Watcher(device: device, isWatching: isWatching)],
                logger: Logger(label: "services") { _ in SwiftLogNoOpLogHandler() })
            async let run: Void = group.run()
            for await _ in watching { break }
            await group.triggerGracefulShutdown()
            try await run
            await #expect(throws: ReveilleError.self) { try await device.get(.battery) }
        }
    }
#endif
