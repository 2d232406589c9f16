// SPDX-License-Identifier: Apache-2.0

import CSystemd
package import ReveilleSystem

/// A stream of lines to the journal of the system.
package final class JournalStream {
    private let descriptor: OwnedDescriptor

    /// Opens a stream whose lines stand in the journal under an identifier, at a priority of their own if they begin with one.
    package init(_ identifier: String) throws(SystemError) {
        let number = sd_journal_stream_fd(identifier, Int32(LogLevel.info.priority), 1)
        guard number >= 0 else { throw SystemError("sd_journal_stream_fd", on: identifier, code: -number) }
        descriptor = OwnedDescriptor(number)
    }

    /// The descriptor, borrowed for the lifetime of the stream.
    package var number: Int32 { descriptor.number }
}
