// SPDX-License-Identifier: Apache-2.0

/// The content of a page's stream, written as the page reads.
///
/// Loop thread only.
protocol Feed: AnyObject {
    /// Called when there are bytes to write again.
    var onOutput: () -> Void { get set }

    /// Copies the next bytes of the stream; the first call starts it.
    ///
    /// - Returns: Their number; 0 if there are none, and ``onOutput`` will be called.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Ends the feed.
    func close()
}
