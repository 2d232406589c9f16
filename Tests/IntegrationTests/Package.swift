// SPDX-License-Identifier: Apache-2.0

enum Package {
    static let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    static let python = root + "/Tests/IntegrationTests/Python/"

    static func text(_ path: String) throws -> String { try String(contentsOfFile: root + "/" + path) }
}
