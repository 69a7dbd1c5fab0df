import Synchronization
import Testing

@testable import GodwitHTTP

@Suite("Sources of events")
struct EventQueueTests {
  private static func text(_ next: NextEvents) -> String {
    switch next {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .nothing: "nothing"
    case .ended: "ended"
    }
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("events are returned in their order, and the end after them")
  func order() {
    let queue = EventQueue(first: Self.bytes("first "), cancellation: {})
    queue.push(Self.bytes("a "))
    queue.push(Self.bytes("b"))
    #expect(queue.hasNext)
    #expect(Self.text(queue.next()) == "first a b")
    #expect(!queue.hasNext)
    #expect(Self.text(queue.next()) == "nothing")
    queue.push(Self.bytes("c"))
    queue.end()
    #expect(Self.text(queue.next()) == "c")
    #expect(Self.text(queue.next()) == "ended")
  }

  @Test("a full queue replaces the waiting events by one event and returns their number")
  func full() {
    let queue = EventQueue(first: Self.bytes("0"), capacity: 3, replacement: Self.bytes("replaced"), cancellation: {})
    #expect(queue.push(Self.bytes("1")) == 0)
    #expect(queue.push(Self.bytes("2")) == 0)
    #expect(queue.push(Self.bytes("3")) == 3)
    #expect(Self.text(queue.next()) == "replaced")
  }

  @Test("the callback of the reader is called for each event and the end")
  func arrival() {
    let calls = Atomic<Int>(0)
    let queue = EventQueue(cancellation: {})
    queue.onArrival { calls.add(1, ordering: .relaxed) }
    queue.push([])
    queue.end()
    #expect(calls.load(ordering: .relaxed) == 2)
  }

  @Test("a channel publishes to its subscribers until they cancel or it closes")
  func channel() {
    let channel = EventChannel()
    let (first, second) = (channel.subscribe(), channel.subscribe())
    for queue in [first, second] { _ = queue.next() }
    channel.publish(Self.bytes("a"))
    #expect(Self.text(first.next()) == "a")
    first.cancel()
    channel.publish(Self.bytes("b"))
    #expect(Self.text(first.next()) == "nothing")
    #expect(Self.text(second.next()) == "ab")
    #expect(channel.hasSubscribers)
    channel.close()
    #expect(Self.text(second.next()) == "ended")
    let late = channel.subscribe()
    _ = late.next()
    #expect(Self.text(late.next()) == "ended")
  }
}
