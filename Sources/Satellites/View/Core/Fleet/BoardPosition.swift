// SPDX-License-Identifier: Apache-2.0

import ReveilleCore

/// A page's position on a board as one text: the board, and the number of its last change, such as `0a1b~12`.
///
/// The text is the `id` of a Server-Sent Event. Browsers send it back when they reconnect, and the page keeps it while it
/// is hidden.
package struct BoardPosition: Sendable, Hashable {
    /// The longest name of a board: a random number in hexadecimal digits.
    private static let boardLimit = 16

    /// The board; a restart of the program begins a new one.
    package var board: String
    package var revision: Int64

    package init(board: String, revision: Int64) {
        self.board = board
        self.revision = revision
    }

    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...Self.boardLimit).contains(parts[0].count),
            parts[0].allSatisfy({ $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }),
            parts[1].allSatisfy(\.isDigit), let revision = Int64(Substring(parts[1]))
        else { return nil }
        self.init(board: String(Substring(parts[0])), revision: revision)
    }

    package var text: String { "\(board)~\(revision)" }
}
