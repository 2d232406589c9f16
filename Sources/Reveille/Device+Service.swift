// SPDX-License-Identifier: Apache-2.0

#if ServiceLifecycle
    public import ServiceLifecycle

    extension Device: Service {
        /// Keeps the device open until its service group shuts down, and then closes it.
        ///
        /// List the device before the services that use it, since a group shuts down in reverse order. Their loops end by
        /// `cancelOnGracefulShutdown()`. Requires the package trait `ServiceLifecycle`.
        ///
        /// ```swift
        /// let group = ServiceGroup(services: [device, watcher], gracefulShutdownSignals: [.sigterm], logger: logger)
        /// ```
        public func run() async {
            // Cancellation closes the device as a shutdown does.
            try? await gracefulShutdown()
            await close()
        }
    }
#endif
