// SPDX-License-Identifier: Apache-2.0

/// Values of names and patterns in the order of their bytes, in which all names of a pattern follow it.
///
/// Names and patterns that overlap are found without visiting any others. The key of a pattern is the start of its
/// names, with its last dot.
struct NameMap<Value: Sendable>: Sendable {
    /// The most entries that an insertion moves.
    private static var chunkSize: Int { 64 }

    /// The entries in pieces, none of them empty.
    private var chunks: [[(key: Substring, value: Value)]] = []

    var isEmpty: Bool { chunks.isEmpty }

    /// All values, in order.
    var values: [Value] { chunks.flatMap { $0.map(\.value) } }

    subscript(key: Substring) -> Value? {
        get {
            let place = place(of: key)
            return contains(key, at: place) ? chunks[place.chunk][place.index].value : nil
        }
        set {
            let (chunk, index) = place(of: key)
            let isKnown = contains(key, at: (chunk, index))
            guard let newValue else {
                guard isKnown else { return }
                chunks[chunk].remove(at: index)
                if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
                return
            }
            guard !isKnown else { return chunks[chunk][index].value = newValue }
            if chunks.isEmpty { chunks.append([]) }
            chunks[chunk].insert((key, newValue), at: index)
            guard chunks[chunk].count > Self.chunkSize else { return }
            chunks.insert(Array(chunks[chunk].suffix(Self.chunkSize / 2)), at: chunk + 1)
            chunks[chunk].removeLast(Self.chunkSize / 2)
        }
    }

    /// Returns the values of all keys below patterns, each once and in order, without the patterns themselves.
    func below(_ patterns: some Sequence<Substring>) -> [Value] {
        var values: [Value] = []
        var widest: Substring = ""
        // Every key below a pattern is also below the patterns that span it.
        for pattern in patterns.sorted() where pattern >= widest {
            let (first, last) = bounds(of: pattern)
            widest = end(of: pattern)
            guard first != last else { continue }
            for chunk in first.chunk...last.chunk {
                let entries = chunks[chunk].prefix(chunk == last.chunk ? last.index : .max)
                values += entries.dropFirst(chunk == first.chunk ? first.index : 0).map(\.value)
            }
        }
        return values
    }

    /// Returns whether there is a key below a pattern, besides its own.
    func hasAny(below pattern: Substring) -> Bool {
        let (first, last) = bounds(of: pattern)
        return first != last
    }

    private func bounds(of pattern: Substring) -> (first: (chunk: Int, index: Int), last: (chunk: Int, index: Int)) {
        // No byte of a name is less than a hyphen.
        (place(of: "\(pattern)-"), place(of: end(of: pattern)))
    }

    /// Returns a text that follows every key below a pattern.
    private func end(of pattern: Substring) -> Substring { "\(pattern)~" }

    /// Returns the place of a key, present or not: always in the last piece that does not begin after it.
    private func place(of key: Substring) -> (chunk: Int, index: Int) {
        let chunk = max(0, chunks.count(while: { $0[0].key <= key }) - 1)
        return (chunk, chunks.isEmpty ? 0 : chunks[chunk].count(while: { $0.key < key }))
    }

    private func contains(_ key: Substring, at place: (chunk: Int, index: Int)) -> Bool {
        place.chunk < chunks.count && place.index < chunks[place.chunk].count
            && chunks[place.chunk][place.index].key == key
    }
}

extension Array {
    /// Returns the number of elements at the start for which a condition holds, which holds for no later ones.
    fileprivate func count(while isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Aspect {
    /// The key of a name or a pattern in a ``NameMap``.
    var key: Substring { pattern ?? name[...] }

    /// The starts of a name that patterns can have: `org.` and `org.example.` of `org.example.volume`.
    var prefixes: [Substring] {
        let name = name
        return name.utf8.indices.filter { name.utf8[$0] == UInt8(ascii: ".") }.map { name[...$0] }
    }

    /// The keys of the name or the pattern and of all patterns that span it.
    var spanningKeys: [Substring] { isPattern ? prefixes : prefixes + [key] }
}
