internal import CMicrohttpd
internal import Foundation
internal import Synchronization

/// A response body that is generated while it is sent. The connection is suspended while the next piece is being generated,
/// so that no connection thread waits for the store, and only one piece is in memory.
///
/// `@unchecked Sendable`: `connection` is constant; `piece` and `sent` are used only by libmicrohttpd's thread of the
/// connection; the result of the generating thread is under the lock.
final class StreamedResponse: @unchecked Sendable {
  private enum Phase {
    /// No piece is being generated.
    case idle
    case reading
    case read([UInt8])
    case ended
    case failed
  }

  private let bytes: StreamingBody
  private let connection: OpaquePointer
  private let server: HTTPServer
  private var piece: [UInt8] = []
  private var sent = 0
  private let phase = Mutex(Phase.idle)
  private static let queue = DispatchQueue(label: "godwit.export", attributes: .concurrent)

  private init(_ bytes: StreamingBody, _ connection: OpaquePointer, _ server: HTTPServer) {
    self.bytes = bytes
    self.connection = connection
    self.server = server
  }

  static func response(for bytes: StreamingBody, on connection: OpaquePointer, of server: HTTPServer) -> OpaquePointer? {
    let stream = StreamedResponse(bytes, connection, server)
    return MHD_create_response_from_callback(
      UInt64.max, 64 << 10,
      { context, _, buffer, room in
        guard let context, let buffer else { return -2 }
        return Unmanaged<StreamedResponse>.fromOpaque(context).takeUnretainedValue().read(into: buffer, room: room)
      },
      Unmanaged.passRetained(stream).toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<StreamedResponse>.fromOpaque(context).release()
      })
  }

  /// Returns the number of copied bytes, -1 (MHD_CONTENT_READER_END_OF_STREAM), or -2 (MHD_CONTENT_READER_END_WITH_ERROR),
  /// by which the client detects that the body is incomplete.
  private func read(into buffer: UnsafeMutablePointer<CChar>, room: Int) -> Int {
    if sent == piece.count {
      // The connection is suspended under the lock, so that the generating thread resumes it only after that.
      let now: Int? = phase.withLock { phase in
        switch phase {
        case .read(let bytes):
          (piece, sent, phase) = (bytes, 0, .idle)
          return nil
        case .ended: return -1
        case .failed: return -2
        case .reading: return 0
        case .idle:
          guard server.beginSuspension() else { return -2 }
          phase = .reading
          MHD_suspend_connection(connection)
          Self.queue.async { [self] in bring() }
          return 0
        }
      }
      if let now { return now }
    }
    let count = min(room, piece.count - sent)
    piece.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      UnsafeMutableRawPointer(buffer).copyMemory(from: start + sent, byteCount: count)
    }
    sent += count
    return count
  }

  private func bring() {
    let found: Phase
    do { found = try bytes.next().map { .read($0) } ?? .ended } catch { found = .failed }
    let server = server
    phase.withLock { phase in
      phase = found
      MHD_resume_connection(connection)
    }
    server.endSuspension()
  }
}
