// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension FrameDecoder {
    /// Takes the next message, in terms of a session's errors.
    mutating func nextMessage() throws(VarlinkError) -> [UInt8]? {
        do {
            return try nextFrame()
        } catch {
            throw .framing(error)
        }
    }
}
