// SPDX-License-Identifier: Apache-2.0

import ReveilleCore
import ReveilleLink
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@testable import Reveille

@Suite(.timeLimit(.minutes(10))) struct ReplyStreamTests {
    @Test("replies reach the consumer as the bus sent them, and the stream resumes when its bus is back") func replies()
        throws
    {
        let directory = try TemporaryDirectory()
        let connections = Lock(0)
        let resume = Lock<JSON?>(nil)
        let bus = try MadeUpBus(at: directory.path + "/bus") { peer in
            let isFirst = connections.increment() == 1
            while let call = peer.next() {
                switch call.member {
                case "DescribeAspects":
                    peer.answer(#"{"aspects":[{"aspect":"battery","monitored":false,"source":"BAT0"}]}"#)
                case "Subscribe" where isFirst:
                    peer.start([.battery(0.5, 1, changes: 0)])
                    peer.answer(#"{"events":[{"aspect":"weather","weather":{}}]}"#, continues: true)
                    return
                default:
                    resume.withLock { $0 = call.parameters["resume"] }
                    peer.start([.battery(0.4, 2)], resumed: true)
                }
            }
        }
        let loop = try EventLoop()
        var messages: [String] = []
        let stream = try EventStream(
            SubscriptionRequest(), plan: { SubscriptionRequest(aspects: AspectSet($0.map(\.aspect))) },
            connector: try Connector(loop: loop, address: bus.address)
        ) { message in
            switch message {
            case .aspects: messages.append("aspects")
            case .started(let parameters, _):
                messages.append(parameters["resumed"] == true ? "resumed" : "started")
            case .events(let parameters):
                messages.append(String(decoding: JSON.object(parameters).bytes, as: UTF8.self))
            case .lost: messages.append("lost")
            }
            if messages.count == 6 { loop.exit() }
        }
        stream.open()
        try loop.run()
        #expect(
            messages == [
                "aspects", "started", #"{"events":[{"aspect":"weather","weather":{}}]}"#, "lost", "aspects", "resumed",
            ])
        #expect(stream.positions == Positions(instance: "i", generations: [.battery: 2]))
        #expect(resume.withLock { $0 } == [["aspect": "battery", "generation": 1]])
        stream.close()
        bus.stop()
    }
}
