// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: PythonClient.isThere || PythonClient.isRequired, "no PyPI varlink"))
struct CertificationTests {
    private static let module = "varlink.tests.test_certification"

    private func makeService() throws -> CertificationService {
        // The suite includes the text of the interface.
        let directory = try TemporaryDirectory()
        let run = try ProgramRun(
            [
                "-c",
                "import varlink.tests as t; print(open(list(t.__path__)[0] + '/org.varlink.certification.varlink').read())",
            ],
            program: PythonClient.python, in: directory)
        return try CertificationService(interface: run.output)
    }

    @Test func referenceClientPassesAgainstOurService() throws {
        let directory = try TemporaryDirectory()
        let address = try UnixAddress("unix:\(directory.path)/service")
        let listener = try UnixListener(at: address)
        let client = try RunningProgram(
            ["-m", Self.module, "--client", "--varlink=\(address)"], program: PythonClient.python, in: directory)
        var service = try makeService()
        try Readiness.wait(listener.number, for: .readable, atMost: .seconds(30))
        guard case .connection(let stream) = try listener.accept() else { throw Trouble("no client connects") }
        try serve(stream, &service)
        #expect(client.process.wait() == 0)
        let output = client.output + client.errors
        #expect(output.contains("Certification passed"), "\(output)")
    }

    /// Replies to calls until the peer disconnects.
    private func serve(_ stream: UnixStream, _ service: inout CertificationService) throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            switch try buffer.withUnsafeMutableBytes({ try stream.read(into: $0) }) {
            case .ended: return
            case .wouldBlock:
                guard try Readiness.wait(stream.number, for: .readable, atMost: .seconds(30)) else {
                    throw Trouble("the client is silent")
                }
            case .bytes(let count):
                let reply = try service.receive(Array(buffer[..<count]))
                guard case .bytes(reply.count) = try stream.write(reply.span) else {
                    throw Trouble("the socket is full")
                }
            }
        }
    }

    @Test func ourClientPassesAgainstTheReferenceService() throws {
        let directory = try TemporaryDirectory()
        let socket = directory.path + "/service"
        let service = try ChildProcess(
            [PythonClient.python, "-m", Self.module, "--varlink=unix:\(socket)"],
            environment: Environment.all.merging(["PYTHONUNBUFFERED": "1"]) { $1 })
        var connected: RawClient?
        try wait(for: "the service") {
            connected = try? RawClient(socket)
            return connected != nil
        }
        let stream = try #require(connected)
        var client = CertificationClient {
            try stream.send(bytes: $0)
        } read: {
            guard let text = try stream.receiveText(seconds: 30) else {
                throw Trouble("the service closed the connection")
            }
            return Array(text.utf8) + [0]
        }
        try client.run()
        service.signal(SIGTERM)
        service.wait()
    }

    @Test func ourClientPassesAgainstOurService() throws {
        var service = try makeService()
        var waiting: [UInt8] = []
        var client = CertificationClient {
            waiting += try service.receive($0)
        } read: {
            defer { waiting = [] }
            return waiting
        }
        try client.run()
    }

    @Test func wrongValuesAndWrongOrderAreRefused() throws {
        var service = try makeService()
        func call(_ method: String, _ parameters: String) throws -> Reply {
            let text = #"{"method":"org.varlink.certification.\#(method)","parameters":\#(parameters)}"#
            return try Reply(parsing: Array(service.receive(Array(text.utf8) + [0]).dropLast()))
        }
        let id = try #require(try call("Start", "{}").parameters["client_id"])
        #expect(try call("Test01", #"{"client_id":"nobody"}"#).error == "org.varlink.certification.ClientIdError")
        #expect(try call("Test01", #"{"client_id":\#(id)}"#).error == nil)
        #expect(
            try call("Test02", #"{"client_id":\#(id),"bool":false}"#).error
                == "org.varlink.certification.CertificationError")
        #expect(try call("Test02", #"{"client_id":\#(id),"bool":1}"#).error == "org.varlink.service.InvalidParameter")
    }
}
