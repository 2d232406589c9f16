// SPDX-License-Identifier: Apache-2.0

import ReveilleWire
import Varlink

extension Engine {
    /// Returns once the bus has processed every call so far; everything that it sent can then be read.
    func fence() async throws(ReveilleError) {
        _ = try await call(.fence)
    }

    /// Calls a method, and waits for its reply; tries to reach a bus that is gone.
    func call<Answer: BusReply>(
        _ call: Call, expecting type: Answer.Type = EmptyReply.self
    ) async throws(ReveilleError) -> Answer {
        let channel = try openChannel()
        let result = await withCheckedContinuation { continuation in
            channel.call(call, expecting: type) { result in
                // Noted here, because the connection may be lost before this function continues.
                if case .success = result { self.reached() }
                continuation.resume(returning: result)
            }
        }
        let answer = try result.get()
        // The bus works: a later loss begins with the shortest pause.
        backoff.reset()
        return answer
    }
}
