// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

final class ViewScene {
    static let program = ChildProcess.sibling("reveille-view")

    let bus: BusProcess
    private(set) var view: RunningProgram
    private(set) var port: UInt16
    private(set) var token: String
    let history: String
    var addressFile: String { "\(history).\(port).address" }

    /// Starts both, and waits for the address of the page; the launcher is a shell command line that executes `$@`.
    init(launcher: String = #"exec "$@""#, on bus: BusProcess? = nil, history: String? = nil) throws {
        let bus = try bus ?? BusProcess()
        self.bus = bus
        self.history = history ?? bus.directory.path + "/view/history.sqlite"
        (view, port, token) = try Self.start(bus, port: 0, history: self.history, launcher: launcher)
    }

    private static func start(
        _ bus: BusProcess, port: UInt16, history: String, launcher: String
    ) throws -> (RunningProgram, UInt16, String) {
        let view = try RunningProgram(
            ["-c", launcher, "sh", program, "--port", "\(port)", "--history", history], program: "sh",
            in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        try wait(for: "the address of the page: \(view.errors)") { view.output.hasSuffix("\n") }
        let address = view.output
        let number = address.split(separator: ":").last?.prefix { $0.isNumber }
        return (view, try #require(number.flatMap { UInt16($0) }), String(address.dropLast().suffix(32)))
    }

    /// Ends `reveille-view`, and starts it again at its port.
    func restart(launcher: String = #"exec "$@""#) throws {
        #expect(view.stop() == 0)
        (view, port, token) = try Self.start(bus, port: port, history: history, launcher: launcher)
    }

    var cookie: String { "Cookie: reveille-view-\(port)=\(token)" }

    func connect(receiveBuffer: Int32? = nil) throws -> PageClient {
        try PageClient(port: port, receiveBuffer: receiveBuffer)
    }

    /// Sends a request with the cookie, and returns the whole response.
    func get(_ path: String, headers: [String] = []) throws -> String {
        let client = try connect()
        try client.request(path, headers: [cookie] + headers)
        return try client.receiveAll()
    }

    func object(_ path: String) throws -> JSONObject {
        let response = try get(path)
        let content = try #require(response.utf8.firstRange(of: "\r\n\r\n".utf8))
        let bytes = Array(response.utf8[content.upperBound...])
        return try #require(try JSON.parse(bytes).objectValue, "\(response)")
    }

    /// Opens a stream and returns its first event with the states.
    func stream(resume: String? = nil) throws -> (PageClient, PageClient.Message) {
        let client = try connect()
        try client.request("/events", headers: [cookie] + (resume.map { ["Last-Event-ID: \($0)"] } ?? []))
        return (client, try client.message("start"))
    }

    func subscriptions() throws -> [String] {
        let list = try bus.client().call("ListSubscriptions").parameters.objects("subscriptions")
        return list.compactMap { $0["name"]?.stringValue }
    }

    func waitForPages(_ count: Int) throws {
        try wait(for: "\(count) pages") { try subscriptions().filter { $0 == "reveille-view page" }.count == count }
    }

    func publish(_ name: String, _ value: JSON) throws {
        _ = try bus.client().call("Publish", "{\"aspect\":\"\(name)\",\"value\":\(value)}")
    }
}
