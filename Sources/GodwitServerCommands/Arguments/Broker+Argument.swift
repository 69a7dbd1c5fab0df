internal import Foundation
internal import GodwitCommandLine
internal import GodwitIntake
internal import GodwitServer

extension BrokerAddress: ArgumentValue {
  init(argument: String) throws(UsageError) {
    do throws(BrokerAddressError) { self = try BrokerAddress(argument) } catch {
      throw UsageError("\"\(BrokerAddress.shown(argument))\": \(error)")
    }
  }
}

extension MQTTTopicFilter: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let filter = MQTTTopicFilter(argument) else {
      throw UsageError(
        "\"\(argument)\" names no devices; expected three parts at least, the last two USER and DEVICE or +: owntracks/+/+")
    }
    self = filter
  }
}

/// The password for a broker. A file or the environment keeps it out of the list of processes.
enum BrokerPassword {
  static let variable = "GODWIT_MQTT_PASSWORD"

  /// Returns the address with the password from a file, or else from the environment.
  /// - Throws: ``UsageError`` if the file cannot be read, or there is a password without a user.
  static func completed(_ broker: BrokerAddress, file: String?) throws -> BrokerAddress {
    var broker = broker
    if let file {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
        throw UsageError("--mqtt-password-file: \(file) cannot be read")
      }
      broker.password = text.split(separator: "\n", omittingEmptySubsequences: false).first.map {
        $0.hasSuffix("\r") ? String($0.dropLast()) : String($0)
      }
      if broker.password?.isEmpty != false { throw UsageError("--mqtt-password-file: the first line of \(file) is empty") }
    } else if broker.password == nil, let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty {
      broker.password = text
    }
    guard broker.password == nil || broker.user != nil else {
      throw UsageError("--mqtt: there is a password without a user; write mqtt://USER@\(broker.host)")
    }
    return broker
  }
}
