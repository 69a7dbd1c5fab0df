internal import CoreMotion
internal import Foundation

/// Steps, where there is somebody who counts them.
enum Pedometer {
  /// `nil`: there is no pedometer, or it may not be read.
  static func steps(from: Date, to: Date) async -> Int? {
    guard CMPedometer.isStepCountingAvailable(), from < to else { return nil }
    let pedometer = CMPedometer()
    let (stream, continuation) = AsyncStream<Int?>.makeStream()
    pedometer.queryPedometerData(from: from, to: to) { data, _ in
      continuation.yield(data?.numberOfSteps.intValue)
      continuation.finish()
    }
    for await steps in stream { return steps }
    return nil
  }
}
