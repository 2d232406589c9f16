// SPDX-License-Identifier: Apache-2.0

import Varlink

// Types with the forms of Codable that the compiler synthesizes.

struct Volume: Codable, Equatable, Sendable {
    var level: Double
    var isMuted = false
    var device: String?
}

enum Mode: String, Codable, Sendable {
    case quiet, loud
}

enum Priority: Int8, Codable {
    case low = -1
    case high = 1
}

enum Shape: Codable, Equatable, Sendable {
    case none
    case circle(radius: Double)
    case line(Int, Int)
    indirect case pair(Shape, with: Shape?)
}

struct Mixer: Codable, Equatable, Sendable {
    var volumes: [Volume] = []
    var modes: [String: Mode] = [:]
    var priorities: [Int: Priority] = [:]
    var shapes: [[Shape]]?
    var names: Set<String> = []
    var rest: JSON = .null
    var more: JSONObject?
}

struct Integers: Codable, Equatable, Sendable {
    var a: Int8 = 0
    var b: Int16 = 0
    var c: Int32 = 0
    var d: Int64 = 0
    var e: Int = 0
    var f: UInt8 = 0
    var g: UInt16 = 0
    var h: UInt32 = 0
    var i: UInt64 = 0
    var j: UInt = 0
}

struct Nothing: Codable, Equatable, Sendable {}

/// A type that contains itself.
final class Chain: Codable {
    var next: Chain?

    init(length: Int) {
        next = length > 1 ? Chain(length: length - 1) : nil
    }

    var length: Int { 1 + (next?.length ?? 0) }
}

/// A list of lists, and of nothing else.
struct Tree: Codable, Equatable, Sendable {
    var branches: [Tree]

    init(depth: Int) {
        branches = depth > 1 ? [Tree(depth: depth - 1)] : []
    }

    init(from decoder: any Decoder) throws {
        branches = try [Tree](from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try branches.encode(to: encoder)
    }
}

extension JSON {
    static func text(encoding value: some Encodable) throws(JSONCodingError) -> String {
        try JSON(encoding: value).description
    }
}
