// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc

/// A value that one thread at a time may touch.
///
/// As the standard library's `Mutex`, which locks in a library that the thread sanitizer cannot see into: all that it
/// guards looks like a race. The lock of POSIX threads it knows.
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    /// Makes a lock that nobody holds.
    package init(_ value: consuming sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Gives a body the value while nobody else has it; the body must not ask for it again.
    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
