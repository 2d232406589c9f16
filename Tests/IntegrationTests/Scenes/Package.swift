// SPDX-License-Identifier: Apache-2.0

enum Package {
    static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    static let python = root + "/Tests/IntegrationTests/Clients/Python/"

    static func text(_ path: String) throws -> String { try String(contentsOfFile: root + "/" + path) }
}
