// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

extension ViewLimitTests {
    @Test("a stream survives a restart of its bus, and resumes") func busRestart() throws {
        let (client, _) = try scene.stream()
        try scene.bus.waitUntilSaved()
        #expect(scene.bus.stop() == 0)
        #expect(try client.message("lost").data["reason"]?.stringValue?.isEmpty == false)
        try scene.bus.restart()
        let start = try client.message("start")
        #expect(start.data["resumed"] == true)
        try scene.publish("org.example.a", ["n": 1])
        #expect(try client.message("events").events(of: "org.example.a").count == 1)
    }

    @Test("nothing is queued for a page that does not read: the bus merges it") func slowReader() throws {
        let client = try scene.connect(receiveBuffer: 4_096)
        try client.request("/events", headers: [scene.cookie])
        try scene.waitForPages(1)
        let text = String(repeating: "x", count: 4_000)
        let publisher = try scene.bus.client()
        for number in 1...1_000 {
            _ = try publisher.call(
                "Publish", "{\"aspect\":\"org.example.a\",\"value\":{\"n\":\(number),\"text\":\"\(text)\"}}")
        }
        var events: [JSONObject] = []
        while events.last?["value"]?.objectValue?["n"] != 1_000 {
            events += try client.message().events(of: "org.example.a")
        }
        #expect(events.count < 200, "\(events.count) events were queued")
        #expect(events.reduce(0) { $0 + ($1["changes"]?.integerValue ?? 0) } == 1_000)
    }

    @Test("each start has a new token, saved in a private file, and the last one is refused") func token() throws {
        let path = scene.addressFile
        let former = scene.cookie
        chmod(path, 0o644)
        try scene.restart()
        #expect(scene.cookie != former)
        let client = try scene.connect()
        try client.request("/events", headers: [former])
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 401 "))
        #expect(try String(contentsOfFile: path) == scene.view.output)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let second = scene.token
        unlink(path)
        mkdir(path, 0o700)
        try scene.restart()
        #expect(scene.token != second && scene.view.errors.contains("the address cannot be saved"))
    }

    @Test("an address that cannot be saved does not leave the last one in the file") func unsavedToken() throws {
        let path = scene.addressFile
        #expect(access(path, F_OK) == 0)
        // Files that must not grow are like a disk without room. What the program prints goes through pipes.
        let script = #"trap "" XFSZ; exec 1> >(cat) 2> >(cat >&2); ulimit -f 0; exec "$0" "$@""#
        try scene.restart(launcher: "exec bash -c '\(script)' \"$@\"")
        #expect(scene.view.errors.contains("the address cannot be saved: write \(path)"))
        #expect(access(path, F_OK) != 0)
    }

    @Test("a port that is taken is named, with what to do") func takenPort() throws {
        let run = try scene.bus.run(
            ["--port", "\(scene.port)", "--history", scene.history], program: ViewScene.program)
        #expect(run.code == EX_UNAVAILABLE)
        #expect(run.errors.contains("bind 127.0.0.1:\(scene.port): Address already in use (EADDRINUSE)"))
        #expect(run.errors.contains("--port 0") && run.output.isEmpty)
    }
}
