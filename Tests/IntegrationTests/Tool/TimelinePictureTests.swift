// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

@testable import ReveilleTool

/// The pictures of timelines, as programs read and write them.
@Suite(.blocking, .timeLimit(.minutes(5))) struct TimelinePictureTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func hostileTextIsWellFormed() throws {
        let timeline = Timeline(title: "</text>&\u{1}\u{1B}[31m\"\u{FFFE}")
        try directory.write(TimelineDrawing.svg(timeline), to: "picture.svg")
        let run = try ProgramRun(
            ["-c", "import sys, xml.dom.minidom as d; d.parse(sys.argv[1])", directory.path + "/picture.svg"],
            program: "python3", in: directory)
        #expect(run.errors.isEmpty)
    }

    @Test func changeThatTheProgramMakesLastIsDrawn() throws {
        try directory.write("wait 600", to: "scenario")
        let options = ["--timeline", directory.path + "/picture.svg", directory.path + "/scenario"]
        let run = try ProgramRun(
            ["simulate"] + options + ["--", BusProcess.program, "post", "proximity", "near"], in: directory)
        #expect(run.code == 0, "\(run.errors)")
        #expect(directory.read("picture.svg").contains("1 change of 1 aspect."))
    }

    @Test("a picture says which names it leaves out") func picturesSayWhatTheyLeaveOut() throws {
        try directory.write("wait 600", to: "scenario")
        let options = ["--timeline", directory.path + "/picture.svg", directory.path + "/scenario"]
        let run = try ProgramRun(
            ["simulate"] + options + ["--", BusProcess.program, "publish", "org.example.a", "{}"], in: directory)
        let remark = "the picture leaves out org.example.a; the step 'expect org.example.a …' adds a name to it"
        #expect(run.errors == "reveille: \(remark)\n")
    }

    @Test func pictureOfTheReadmeIsThatOfItsScenario() throws {
        let run = try ProgramRun(
            ["--program", BusProcess.program, directory.path], program: Package.root + "/Scripts/pictures",
            in: directory)
        #expect(run.code == 0, "\(run.errors)")
        #expect(try directory.read("pocket.svg") == Package.text("Docs/Pictures/pocket.svg"))
    }
}
