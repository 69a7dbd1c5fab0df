internal import Foundation

/// Reports that a device is missing.
enum AbsentDevice {
  /// Calls a handler with the error on its queue, as for a device that exists.
  static func report(_ error: NSError, on queue: OperationQueue, _ call: @escaping (NSError) -> Void) {
    let handler = Handler(call: call)
    queue.addOperation { handler.call(error) }
  }

  /// `@unchecked Sendable`: it is called once, on the queue that was passed with it.
  private struct Handler: @unchecked Sendable { var call: (NSError) -> Void }
}
