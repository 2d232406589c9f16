// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

/// Texts that many places share, each stored once: the names of aspects, instances and versions.
struct SharedTexts: Sendable {
    /// The number of a text.
    typealias Index = UInt32

    private struct Slot {
        var text: String
        var uses: UInt32
    }

    /// The number of no text.
    static let none = Index.max

    private var slots: ContiguousArray<Slot> = []
    private var indices: [String: Index] = [:]
    private var free: ContiguousArray<Index> = []
    /// The bytes of all texts.
    private(set) var size = 0

    /// The text of a number.
    subscript(index: Index) -> String? { index == Self.none ? nil : slots[Int(index)].text }

    /// Returns the number of a text that is in use.
    func index(of text: String) -> Index? { indices[text] }

    /// Returns the number of a text, which has one use more.
    mutating func use(_ text: String) -> Index {
        if let index = indices[text] {
            slots[Int(index)].uses += 1
            return index
        }
        size += text.utf8.count
        let slot = Slot(text: text, uses: 1)
        let index: Index
        if let reused = free.popLast() {
            index = reused
            slots[Int(index)] = slot
        } else {
            index = Index(slots.count)
            slots.append(slot)
        }
        indices[text] = index
        return index
    }

    /// Gives a use back; a text without uses is forgotten.
    mutating func release(_ index: Index) {
        guard index != Self.none else { return }
        slots[Int(index)].uses -= 1
        guard slots[Int(index)].uses == 0 else { return }
        let text = slots[Int(index)].text
        size -= text.utf8.count
        indices[text] = nil
        slots[Int(index)].text = ""
        free.append(index)
    }

    /// Replaces the use of one text by that of another.
    mutating func replace(_ index: inout Index, by text: String?) {
        if let text, index != Self.none, slots[Int(index)].text == text { return }
        let old = index
        index = text.map { use($0) } ?? Self.none
        release(old)
    }
}
