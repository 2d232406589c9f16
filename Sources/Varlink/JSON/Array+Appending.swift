// SPDX-License-Identifier: Apache-2.0

#if compiler(<6.3)
    extension Array {
        /// Appends elements that are written into new room, as the standard library does from Swift 6.3 on.
        @inlinable
        package mutating func append<Failure: Error>(
            addingCapacity room: Int, initializingWith write: (inout OutputSpan<Element>) throws(Failure) -> Void
        ) throws(Failure) {
            var failure: Failure?
            self += unsafe [Element](unsafeUninitializedCapacity: room) { buffer, count in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                do throws(Failure) {
                    try write(&output)
                } catch {
                    failure = error
                }
                count = unsafe output.finalize(for: buffer)
            }
            if let failure { throw failure }
        }
    }
#endif
