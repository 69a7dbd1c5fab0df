#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  public import Foundation
  internal import Godwit

  /// Uploads that continue while the app is suspended, with a background session of the system. See `BackgroundSession` in
  /// Swift.
  ///
  /// Create it in `application:didFinishLaunchingWithOptions:`, once for each identifier.
  @objc(GWBackgroundSession)
  public final class GWBackgroundSession: NSObject, Sendable {
    #if canImport(Security) && !os(watchOS)
      private let session: BackgroundSession
    #endif

    /// - Parameters:
    ///   - identifier: a constant identifier of the app.
    ///   - timeout: seconds after which the system cancels an upload.
    @objc public init(identifier: String, timeout: TimeInterval) {
      #if canImport(Security) && !os(watchOS)
        session = BackgroundSession(identifier: identifier, timeout: timeout)
      #endif
      super.init()
    }

    /// Creates a session with a timeout of 60 seconds.
    /// - Parameter identifier: a constant identifier of the app.
    @objc public convenience init(identifier: String) { self.init(identifier: identifier, timeout: 60) }

    /// Handles the events of the session. Call it in `application:handleEventsForBackgroundURLSession:completionHandler:`.
    /// - Parameter completion: the completion handler of the system. It is called when all events have been delivered.
    @MainActor
    @objc(handleEventsWithCompletion:)
    public func handleEvents(_ completion: @escaping () -> Void) {
      #if canImport(Security) && !os(watchOS)
        session.handleEvents(completion)
      #else
        completion()
      #endif
    }

    func connect(_ configuration: inout Tracker.Configuration) {
      #if canImport(Security) && !os(watchOS)
        configuration.environment.client = session.client
      #endif
    }
  }
#endif
