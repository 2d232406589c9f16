// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import Testing

@testable import ReveilleWatchers

@Suite(.timeLimit(.minutes(10))) struct DamagedDconfTests {
    /// A database without keys, as dconf-service writes it.
    static let empty =
        Array("GVariant".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0]
    /// A database with the key `/a`.
    static let oneKey =
        Array("GVariant".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 56, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 0]
        + [0, 0, 0, 0, 255, 255, 255, 255, 56, 0, 0, 0, 2, 0, 118, 0, 58, 0, 0, 0, 61, 0, 0, 0, 47, 97, 1, 0, 98]

    @Test func databaseThatNeverHadKeysIsOpaque() throws {
        let file = "/home/u/.config/dconf/user"
        let app = try DefaultsScene(paths: ["~/.config/dconf/user"]) { scene in
            scene.makeDirectory("/home/u/.config/dconf")
            scene.write(file, "")
        }
        let scene = app.scene
        #expect(
            app.reading.domains == [
                .init(name: "user", path: scene.at(file), values: ["": Digest().value], isOpaque: true)
            ])
        scene.step("nine bytes", { scene.replace(file, "GVariant\n") }, until: { scene.readings.count == 2 })
        scene.step("wrong magic", { scene.replace(file, "GVARIANT________") }, until: { scene.readings.count == 3 })
        scene.quiet("the same") { scene.replace(file, "GVARIANT________") }
        scene.step("no keys", { scene.write(file, Self.empty) }, until: { scene.readings.count == 4 })
        try scene.play()
        #expect(app.reading.domains.map(\.isOpaque) == [true])
        #expect(
            scene.warnings == [
                "\(file): not a valid database of dconf: missing header; only its changes are reported"
            ])
    }

    @Test func databaseKeepsItsKeysWhileItIsDamaged() throws {
        let file = "/home/u/.config/dconf/user"
        let app = try DefaultsScene(paths: ["~/.config/dconf/user"]) { scene in
            scene.makeDirectory("/home/u/.config/dconf")
            scene.write(file, Self.oneKey)
        }
        let scene = app.scene
        #expect(app.keys == ["user": ["/a"]])
        // As dconf marks the file that it has replaced.
        let invalidated = Array(repeating: 0, count: 8) + Self.oneKey.dropFirst(8)
        scene.step("invalidated", { scene.write(file, invalidated) }, until: { scene.warnings.count == 1 })
        scene.quiet("empty") { scene.replace(file, "") }
        scene.step("no keys", { scene.write(file, Self.empty) }, until: { app.keys == ["user": []] })
        try scene.play()
        #expect(app.reading.domains.map(\.isOpaque) == [false])
        #expect(scene.readings.count == 2)
    }
}
