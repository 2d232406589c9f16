// SPDX-License-Identifier: Apache-2.0

/// The words of a field to which a later version may add; an added word reads as `unknown`, on the wire and by
/// `Decodable`.
@usableFromInline
package protocol GrowingWords: WordSet {
    static var unknown: Self { get }
}

// The compiler's implementations of Decodable in this module use these.
extension KeyedDecodingContainer {
    func decode<Word: GrowingWords & Decodable>(_: Word.Type, forKey key: Key) throws -> Word {
        Word(rawValue: try decode(String.self, forKey: key)) ?? .unknown
    }

    func decodeIfPresent<Word: WordSet & Decodable>(_: Word.Type, forKey key: Key) throws -> Word? {
        try decodeIfPresent(String.self, forKey: key).flatMap(Word.init)
    }
}
