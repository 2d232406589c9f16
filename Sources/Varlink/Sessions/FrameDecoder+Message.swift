// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

extension FrameDecoder {
    /// Takes the next message, and throws framing errors as a session's error.
    mutating func nextMessage() throws(VarlinkError) -> [UInt8]? {
        do {
            return try nextFrame()
        } catch {
            throw .framing(error)
        }
    }
}
