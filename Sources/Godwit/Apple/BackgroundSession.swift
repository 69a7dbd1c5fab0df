#if canImport(Security) && !os(watchOS)
  // Not compiled where there is no such URLSession: kept thin. Who waits for which answer is kept by AnswersInTransit.
  internal import Foundation
  internal import Synchronization

  /// Uploads that go on while the app is suspended, over a background session of the system.
  ///
  ///     let session = BackgroundSession(identifier: "com.example.app.upload")
  ///     configuration.environment.client = session.client
  ///
  /// An upload whose app was ended meanwhile is made again at the next launch: servers that know identifiers of records
  /// keep each of them once.
  public final class BackgroundSession: Sendable {
    private let session: URLSession
    private let delegate: UploadDelegate
    private let direct = SystemSession()

    /// - Parameter identifier: one of the app's own, always the same. There must be only one session with it.
    public init(identifier: String) {
      let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
      configuration.isDiscretionary = false
      configuration.sessionSendsLaunchEvents = true
      configuration.httpCookieStorage = nil
      configuration.urlCache = nil
      delegate = UploadDelegate()
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// The network of a tracker.
    public var client: HTTPClient { HTTPClient { [self] request in try await send(request) } }

    /// The body of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    /// - Parameter completion: the system's; called when everything has been told.
    public func handleEvents(_ completion: @escaping @MainActor @Sendable () -> Void) { delegate.keep(completion) }

    private func send(_ request: HTTPClient.Request) async throws -> HTTPClient.Answer {
      // Only what is uploaded from a file survives a suspension; what has no body is a question that can wait.
      guard !request.body.isEmpty else { return try await direct.send(request) }
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
      try Data(request.body).write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
      defer { try? FileManager.default.removeItem(at: file) }
      var urlRequest = URLRequest(url: request.url, timeoutInterval: request.timeout)
      urlRequest.httpMethod = request.method
      for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
      if case .pinned(let keys) = request.trust, let host = request.url.host { delegate.trust.pin(keys, for: host) }
      let task = session.uploadTask(with: urlRequest, fromFile: file)
      return try await withTaskCancellationHandler {
        try await delegate.answers.answer(to: task.taskIdentifier) { task.resume() }
      } onCancel: {
        task.cancel()
      }
    }
  }

  private final class UploadDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let answers = AnswersInTransit()
    let trust = TrustDelegate()
    private let completion = Mutex<(@MainActor @Sendable () -> Void)?>(nil)

    func keep(_ new: @escaping @MainActor @Sendable () -> Void) { completion.withLock { $0 = new } }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      answers.received(data, of: dataTask.taskIdentifier)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let response = task.response as? HTTPURLResponse, error == nil {
        answers.ended(
          .answered(status: response.statusCode, headers: SystemSession.headers(of: response)), of: task.taskIdentifier)
      } else {
        answers.ended(.failed(error ?? URLError(.badServerResponse)), of: task.taskIdentifier)
      }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
      let completion = completion.withLock { kept in
        defer { kept = nil }
        return kept
      }
      if let completion { Task { @MainActor in completion() } }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      trust.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: completionHandler)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      trust.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
  }
#endif
