// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import ReveilleView

/// The options `--print-address` and `--open`.
@Suite(.blocking, .timeLimit(.minutes(10))) struct ViewAddressTests {
    @Test("B243: the address is printed while the page is served, and its absence is an error") func printing() throws {
        let scene = try ViewScene()
        let arguments = ["--port", "\(scene.port)", "--history", scene.history, "--print-address"]
        let run = try scene.bus.run(arguments, program: ViewScene.program)
        #expect(run.code == 0 && run.output == scene.view.output && run.errors.isEmpty)
        scene.view.process.signal(SIGKILL)
        scene.view.process.wait()
        let late = try scene.bus.run(arguments, program: ViewScene.program)
        #expect(late.code == EX_UNAVAILABLE && late.output.isEmpty)
        #expect(late.errors.contains("no page is served at port \(scene.port)"))
    }

    @Test("the address of a program that has ended is not used, even if another program serves its port")
    func endedProgram() throws {
        let scene = try ViewScene()
        scene.view.process.signal(SIGKILL)
        scene.view.process.wait()
        #expect(access(scene.addressFile, F_OK) == 0)
        let other = try Listener(port: scene.port)
        try scene.bus.directory.write("#!/bin/sh\ntouch \"$HOME/opened\"\n", to: "xdg-open")
        let home = scene.bus.directory.path
        chmod(home + "/xdg-open", 0o755)
        for option in ["--print-address", "--open"] {
            let run = try ProgramRun(
                ["--port", "\(scene.port)", "--history", scene.history, option], program: ViewScene.program,
                in: scene.bus.directory,
                environment: ["REVEILLE_ADDRESS": scene.bus.address, "HOME": home, "PATH": home + ":/usr/bin:/bin"])
            #expect(run.code == EX_UNAVAILABLE && run.output.isEmpty)
            #expect(run.errors.contains("Address already in use"), "\(run.errors)")
        }
        #expect(access(home + "/opened", F_OK) != 0)
        for socket in other.sockets { close(socket) }
    }

    @Test("two programs live on one bus, each with its history, and a second one with the same history is refused")
    func twoPrograms() throws {
        let bus = try BusProcess()
        let scenes = try ["first", "second"].map { try ViewScene(on: bus, history: "\(bus.directory.path)/\($0)") }
        let run = try bus.run(["--port", "0", "--history", scenes[0].history], program: ViewScene.program)
        #expect(run.code == 75 && run.output.isEmpty)
        #expect(run.errors.contains("\(scenes[0].history): another reveille-view records here"), "\(run.errors)")
        try wait(for: "both histories") {
            try scenes[0].subscriptions().count { $0 == "reveille-view history" } == 2
        }
        for scene in scenes {
            let arguments = ["--port", "\(scene.port)", "--history", scene.history, "--print-address"]
            #expect(try bus.run(arguments, program: ViewScene.program).output == scene.view.output)
        }
        try bus.client().post(level: 0.5)
        for scene in scenes {
            try wait(for: "the record") { try scene.object("/battery")["changes"] == 1 }
        }
    }

    @Test("B244: a page is opened in the browser, and served if it is not served yet") func opening() throws {
        let bus = try BusProcess()
        // The browser writes its address and its umask.
        try bus.directory.write(
            "#!/bin/sh\necho \"$1 $(umask)\" > \"$HOME/new\"; mv \"$HOME/new\" \"$HOME/opened\"\n", to: "xdg-open")
        let home = bus.directory.path
        chmod(home + "/xdg-open", 0o755)
        let opened = home + "/opened"
        func start(port: String) throws -> RunningProgram {
            try RunningProgram(
                [
                    "-c", #"umask 022; exec "$@""#, "sh", ViewScene.program, "--open", "--port", port, "--history",
                    home + "/history.sqlite",
                ],
                program: "sh", in: bus.directory,
                environment: ["REVEILLE_ADDRESS": bus.address, "HOME": home, "PATH": home + ":/usr/bin:/bin"])
        }
        let server = try start(port: "0")
        try wait(for: "the page to be opened: \(server.errors)") { access(opened, F_OK) == 0 }
        let address = String(server.output.dropLast())
        #expect(try String(contentsOfFile: opened) == address + " 0022\n")
        unlink(opened)
        let port = address.split(separator: ":").last?.prefix { $0.isNumber }
        let second = try start(port: String(try #require(port)))
        try wait(for: "the page to be opened again: \(second.errors)") { access(opened, F_OK) == 0 }
        #expect(try String(contentsOfFile: opened) == address + " 0022\n")
        #expect(second.process.wait() == 0 && second.output.isEmpty)
        #expect(server.stop() == 0)
    }
}
