// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A value that only one thread at a time can access.
///
/// It replaces the standard library's `Mutex`, whose locking the thread sanitizer cannot observe, so that every
/// guarded access looks like a race. The sanitizer recognizes POSIX locks.
package final class Lock<Value: ~Copyable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    package init(_ value: consuming sending Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls a closure, which must not lock again, with exclusive access to the value.
    package func withLock<Result: ~Copyable, Failure>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
