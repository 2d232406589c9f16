// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension Broker {
    /// Returns whether a process has a task whose time is not over: it is neither suspended nor ended before.
    ///
    /// After the end of the last task of a process, ``continueDepartures()`` must be called.
    func hasTasks(_ process: SubscriberProcess) -> Bool { false }
}
