public import GodwitPhone

extension PhoneApp {
  /// Creates an app whose code runs on the main actor, such as the models of views.
  ///
  ///     let app = PhoneApp.onMainActor { _ in TripModel() }
  ///
  /// The phone must run on the main thread: mark the test `@MainActor`. Delegates are called on it. Tasks that the app itself sends
  /// to the main actor wait until the phone returns control.
  /// - Parameter launch: Runs at each launch. The returned object lives as long as the app's process.
  /// - Returns: The app.
  public static func onMainActor(_ launch: @escaping @MainActor (AppContext) throws -> AnyObject?) -> PhoneApp {
    PhoneApp { context in try store(launch, context) }
  }

  /// The call is synchronous, because the phone already runs on the main actor's thread.
  private static func store(_ launch: @MainActor (AppContext) throws -> AnyObject?, _ context: AppContext) throws
    -> MainActorObject
  {
    try MainActor.assumeIsolated { MainActorObject(try launch(context)) }
  }
}

/// An object of the main actor that lives as long as its app.
@MainActor
private final class MainActorObject {
  private let object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }
}
