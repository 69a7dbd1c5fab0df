internal import CMicrohttpd
internal import Foundation
internal import Synchronization

/// The body of a response with server-sent events from a source.
///
/// The connection is suspended while no event is pending. The source resumes it.
///
/// `@unchecked Sendable`: `connection` is constant, `pending` is used only by libmicrohttpd's thread of the connection,
/// and `isSuspended` is under its lock.
final class EventStream: @unchecked Sendable {
  private let source: any EventSource
  private let connection: OpaquePointer
  private let server: HTTPServer
  private var pending: [UInt8] = []
  private let isSuspended = Mutex(false)

  private init(_ source: any EventSource, _ connection: OpaquePointer, _ server: HTTPServer) {
    self.source = source
    self.connection = connection
    self.server = server
  }

  static func response(
    for source: any EventSource, on connection: OpaquePointer, of server: HTTPServer
  ) -> OpaquePointer? {
    let stream = EventStream(source, connection, server)
    source.onArrival { [weak stream] in stream?.wake() }
    return MHD_create_response_from_callback(
      UInt64.max, 16 << 10,
      { context, _, buffer, room in
        guard let context, let buffer else { return -1 }
        return Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue().read(into: buffer, room: room)
      },
      Unmanaged.passRetained(stream).toOpaque(),
      { context in
        guard let context else { return }
        let stream = Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue()
        stream.source.cancel()
      })
  }

  private func read(into buffer: UnsafeMutablePointer<CChar>, room: Int) -> Int {
    if pending.isEmpty {
      switch source.next() {
      case .bytes(let bytes): pending = bytes
      case .ended: return -1  // MHD_CONTENT_READER_END_OF_STREAM
      case .nothing:
        let mustWait: Bool? = isSuspended.withLock { suspended in
          // An event that arrived after `next()` returned did not resume the stream.
          if source.hasNext { return false }
          guard server.beginSuspension() else { return nil }
          suspended = true
          MHD_suspend_connection(connection)
          return true
        }
        guard let mustWait else { return -1 }
        return mustWait ? 0 : read(into: buffer, room: room)
      }
    }
    let count = min(room, pending.count)
    pending.withUnsafeBytes { bytes in
      UnsafeMutableRawPointer(buffer).copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(buffer), byteCount: count)
    }
    pending.removeFirst(count)
    return count
  }

  private func wake() {
    isSuspended.withLock { suspended in
      guard suspended else { return }
      suspended = false
      MHD_resume_connection(connection)
      server.endSuspension()
    }
  }
}
