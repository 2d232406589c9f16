// SPDX-License-Identifier: Apache-2.0

package import ReveilleSystem

/// The resources that the readers of one sensor share: the thread that reads the sensor, and its buffer.
///
/// Only one reader can have a buffer open, and many drivers refuse to read attributes meanwhile. While a stream samples
/// the sensor, a poll therefore gets its samples from the stream. At other times, a poll closes its buffer before the
/// stream reads the sensor; the thread keeps the order. Loop thread only.
package final class SharedSensor {
    private let loop: EventLoop
    /// The thread; it is kept, because its release waits for the sensor.
    private var thread: Sampler?
    /// The stream that samples the sensor at an interval, while there is one.
    weak var stream: MotionStream?
    /// The poll that may have the buffer open.
    weak var poll: SensorPoll?

    package init(loop: EventLoop) {
        self.loop = loop
    }

    /// Returns the thread; the first call starts it.
    func sampler() throws(SystemError) -> Sampler {
        if let thread { return thread }
        let sampler = try Sampler(loop: loop)
        thread = sampler
        return sampler
    }

    func stream(of device: String) -> MotionStream? {
        guard let stream, case .sampled(let channels) = stream.device.access, channels.device == device else {
            return nil
        }
        return stream
    }
}
