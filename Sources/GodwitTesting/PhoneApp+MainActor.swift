public import GodwitPhone

extension PhoneApp {
  /// An app whose code is on the main actor, as the models of screens are.
  ///
  ///     let app = PhoneApp.onMainActor { _ in TripModel() }
  ///
  /// The phone runs on the thread that runs it, which has to be the main one: mark the test `@MainActor`. Delegates are called
  /// there; tasks that the app itself hands to the main actor wait until the phone stands still.
  /// - Parameter launch: runs at every launch. What it returns lives as long as the process.
  /// - Returns: the app.
  public static func onMainActor(_ launch: @escaping @MainActor (AppContext) throws -> AnyObject?) -> PhoneApp {
    PhoneApp { context in try store(launch, context) }
  }

  /// Not awaited: the main actor is busy with running the phone, and this is its thread.
  private static func store(_ launch: @MainActor (AppContext) throws -> AnyObject?, _ context: AppContext) throws
    -> MainActorObject
  {
    try MainActor.assumeIsolated { MainActorObject(try launch(context)) }
  }
}

/// Something of the main actor's that lives as long as its app.
@MainActor
private final class MainActorObject {
  private let object: AnyObject?

  init(_ object: AnyObject?) { self.object = object }
}
