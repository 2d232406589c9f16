// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import FoundationEssentials
import ReveilleCore

/// Reads property lists, XML and binary, and JSON with comments and trailing commas.
enum SettingsDecoder {
    /// How many values one file may have.
    ///
    /// A property list of 100 bytes can stand for billions of them, by naming a list twice in itself. The
    /// largest settings files have some thousands. So many take a few tenths of a second.
    static let valueLimit = 50_000

    /// Says whether the bytes begin as a property list does, in XML or binary.
    static func isPropertyList(_ bytes: [UInt8]) -> Bool {
        BinaryPropertyList.opens(bytes) || PropertyListNesting.isXML(bytes)
    }

    /// Reads a property list.
    ///
    /// - Throws: `FileProblem` when it is none, or deeper or longer than what is read.
    static func propertyList(_ bytes: [UInt8]) throws(FileProblem) -> SettingsValue {
        if BinaryPropertyList.opens(bytes) { return try BinaryPropertyList.parse(bytes) }
        // What is neither would be taken for OpenStep's format; in another encoding, tags could not be counted.
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        guard isText, PropertyListNesting.isXML(bytes) else {
            throw FileProblem(reason: "not a property list in XML (UTF-8) or binary")
        }
        guard PropertyListNesting.isShallow(bytes) else { throw tooDeep }
        do {
            return try PropertyListDecoder().decode(Decoded.self, from: Data(bytes), configuration: Nesting()).value
        } catch let problem as FileProblem {
            throw problem
        } catch {
            throw FileProblem(reason: "not a valid property list")
        }
    }

    /// Reads JSON; the decoder itself refuses more than 512 levels.
    ///
    /// - Throws: `FileProblem` when it is none, or deeper or longer than what is read.
    static func json(_ bytes: [UInt8]) throws(FileProblem) -> SettingsValue {
        do {
            let plain = Data(JSONComments.removed(from: bytes))
            return try JSONDecoder().decode(Decoded.self, from: plain, configuration: Nesting()).value
        } catch let problem as FileProblem {
            throw problem
        } catch {
            throw FileProblem(reason: "not valid JSON")
        }
    }

    static var tooDeep: FileProblem {
        FileProblem(reason: "nests deeper than \(SettingsValue.depthLimit) levels")
    }

    static var tooLong: FileProblem {
        FileProblem(reason: "has more than \(valueLimit) values")
    }
}

/// How deep a value is, and how many more its file may have.
private struct Nesting {
    private final class Budget {
        var left = SettingsDecoder.valueLimit
    }

    private let budget = Budget()
    private var depth = 0

    /// The nesting of what is in this value; pays for this value.
    func entering() throws(FileProblem) -> Nesting {
        guard depth <= SettingsValue.depthLimit else { throw SettingsDecoder.tooDeep }
        guard budget.left > 0 else { throw SettingsDecoder.tooLong }
        budget.left -= 1
        var inner = self
        inner.depth += 1
        return inner
    }
}

/// A value of either format.
private struct Decoded: DecodableWithConfiguration {
    let value: SettingsValue

    init(from decoder: any Decoder, configuration: Nesting) throws {
        let nesting = try configuration.entering()
        value = try Self.scalar(in: decoder) ?? Self.container(in: decoder, nesting)
    }

    private static func scalar(in decoder: any Decoder) -> SettingsValue? {
        // Which kind it is, no decoder says: it is what can be read. Each failure here is only a "no".
        guard let single = try? decoder.singleValueContainer() else { return nil }
        if single.decodeNil() { return .null }
        if let text = try? single.decode(String.self) { return .string(text) }
        if let number = try? single.decode(Int64.self) { return .integer(Int128(number)) }
        if let truth = try? single.decode(Bool.self) { return .bool(truth) }
        if let number = try? single.decode(UInt64.self) { return .integer(Int128(number)) }
        if let number = try? single.decode(Double.self) { return .real(number) }
        return nil
    }

    private static func container(in decoder: any Decoder, _ nesting: Nesting) throws -> SettingsValue {
        if let table = try? decoder.container(keyedBy: Key.self) {
            var values: [String: SettingsValue] = [:]
            for key in table.allKeys {
                values[key.stringValue] = try table.decode(Decoded.self, forKey: key, configuration: nesting).value
            }
            return .dictionary(values)
        }
        if var list = try? decoder.unkeyedContainer() {
            var values: [SettingsValue] = []
            while !list.isAtEnd { values.append(try list.decode(Decoded.self, configuration: nesting).value) }
            return .array(values)
        }
        let single = try decoder.singleValueContainer()
        if let date = try? single.decode(Date.self) { return .date(date.timeIntervalSinceReferenceDate) }
        return .data([UInt8](try single.decode(Data.self)))
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }
}
