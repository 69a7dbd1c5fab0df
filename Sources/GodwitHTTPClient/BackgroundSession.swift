#if canImport(Security) && !os(watchOS)
  // This file is compiled only on systems with this URLSession, so it contains no decisions. BackgroundUploads has the tasks of
  // earlier launches, InFlightResponses the responses and timeouts, UploadFiles the files, RequestRules trust and redirects.
  internal import Foundation

  /// Uploads that continue while the app is suspended, with a background session of the system.
  ///
  ///     let session = BackgroundSession(identifier: "com.example.app.upload")
  ///     configuration.environment.client = session.client
  ///
  /// If an upload of an earlier launch is still running, or has been answered in the meantime, the tracker continues it if it
  /// would send the same batch now. Otherwise the upload is cancelled, and its records are sent again.
  ///
  /// A background session follows redirects itself. The upload then counts as failed. A redirect to another host over https is
  /// cancelled before anything is sent to it. A redirect within the host, or to `http:`, has already been sent.
  public final class BackgroundSession: Sendable {
    private let session: URLSession
    private let delegate: UploadDelegate
    private let direct = SystemSession()
    private let uploads: BackgroundUploads

    /// - Parameters:
    ///   - identifier: a constant identifier of the app. Only one session may use it.
    ///   - timeout: seconds after which the system cancels an upload, also while the app is suspended. The `timeout` of an
    ///     endpoint can only shorten it.
    public init(identifier: String, timeout: Double = 60) {
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.isDiscretionary = false
      configuration.sessionSendsLaunchEvents = true
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      configuration.timeoutIntervalForRequest = timeout
      // Otherwise the system retries for seven days, in which the tracker neither learns of a failure nor sends newer records.
      configuration.timeoutIntervalForResource = timeout
      uploads = BackgroundUploads(
        files: UploadFiles(
          folder: UploadFiles.folder(in: FileManager.default.temporaryDirectory, session: identifier),
          launch: UUID().uuidString, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication]))
      delegate = UploadDelegate(uploads)
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      session.getAllTasks { [delegate, uploads] tasks in
        for task in tasks { delegate.found(task) }
        uploads.listed()
      }
    }

    /// The HTTP client for a tracker.
    public var client: HTTPClient {
      var client = HTTPClient { [self] request in try await send(request) }
      client.earlier = HTTPClient.Earlier(
        names: { [uploads] in await uploads.names() }, cancel: { [uploads] name in uploads.cancel(name) })
      return client
    }

    /// Handles `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    /// - Parameter completion: the completion handler of the system. It is called when all events have been delivered.
    @MainActor
    public func handleEvents(_ completion: @escaping () -> Void) { delegate.finish.handler = completion }

    private func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Response {
      // Only an upload from a file survives a suspension. A request without a body is sent directly.
      guard !request.body.isEmpty else { return try await direct.send(request) }
      let pins = try request.checkedPins()
      return try await uploads.send(request, pins: pins) { file, description in
        let task = session.uploadTask(with: URLRequest(request), fromFile: file)
        task.taskDescription = description
        return BackgroundUploads.SystemTask(task)
      }
    }
  }

  extension BackgroundUploads.SystemTask {
    fileprivate init(_ task: URLSessionTask) {
      self.init(number: task.taskIdentifier, resume: { task.resume() }, cancel: { task.cancel() })
    }
  }

  private final class UploadDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let uploads: BackgroundUploads
    let finish = Finish()
    private var responses: InFlightResponses { uploads.responses }

    init(_ uploads: BackgroundUploads) { self.uploads = uploads }

    /// Handles a task of an earlier launch, from the list of the system or from its first event.
    func found(_ task: URLSessionTask) {
      uploads.found(BackgroundUploads.SystemTask(task), description: task.taskDescription)
    }

    /// The completion handler of the system, which must be called on the main thread.
    @MainActor
    final class Finish {
      var handler: (() -> Void)?
      nonisolated init() {}

      func call() {
        handler?()
        handler = nil
      }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      found(dataTask)
      responses.received(data, of: dataTask.taskIdentifier)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      found(task)
      if let redirect = HTTPClient.Request.redirect(
        asked: (task.originalRequest?.httpMethod, task.originalRequest?.url),
        sent: (task.currentRequest?.httpMethod, task.currentRequest?.url), answered: task.response?.url)
      {
        responses.ended(.failed(redirect), of: task.taskIdentifier)
      } else if let response = task.response as? HTTPURLResponse, error == nil {
        responses.ended(
          .answered(status: response.statusCode, headers: SystemSession.headers(of: response)), of: task.taskIdentifier)
      } else {
        responses.ended(.failed(error ?? URLError(.badServerResponse)), of: task.taskIdentifier)
      }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      Task { @MainActor [finish] in finish.call() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      // A task without a caller, and a redirect to another host, are rejected.
      found(task)
      let isServer = challenge.protectionSpace.serverTrust != nil
      let isAsked = challenge.protectionSpace.host.lowercased() == task.originalRequest?.url?.host?.lowercased()
      guard responses.isWaiting(for: task.taskIdentifier), isAsked || !isServer else {
        return completionHandler(.cancelAuthenticationChallenge, nil)
      }
      // Two endpoints on one host may have different pins.
      let trust = TrustDelegate(BackgroundUploads.Label(task.taskDescription)?.pins)
      trust.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
  }
#endif
