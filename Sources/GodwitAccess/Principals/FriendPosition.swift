internal import Foundation
internal import GodwitAccounts
internal import GodwitModel
package import GodwitStore

/// Where a friend is: what OwnTracks' apps and other programs that show friends are reported.
package struct FriendPosition: Sendable {
  /// The user's name, as their card has it.
  package var name: String
  /// Two characters for a small mark on a map.
  package var tid: String
  /// A picture, PNG or JPEG.
  package var avatar: [UInt8]?
  /// The newest point of a device, without what else the device reported.
  package var point: StoredPoint
}

extension StoreDatabase {
  /// Where the friends of a device's user are: the newest point of each of their devices, as far as they show it.
  /// - Parameter device: the requesting device.
  /// - Returns: by the friend's name; empty where the device is the administrator's.
  /// - Throws: the database's errors.
  package func friends(ofDevice device: Int64) throws -> [FriendPosition] {
    guard let owner = try read({ try TrackTables.owner(of: device, $0) }) else { return [] }
    return try friends(ofUser: owner)
  }

  /// Where a user's friends are.
  /// - Parameter account: the requesting user.
  /// - Returns: by the friend's name.
  /// - Throws: the database's errors.
  package func friends(ofUser account: Int64) throws -> [FriendPosition] {
    let (accessLevels, people) = try read { db -> ([Int64: AccessLevel], [Int64: (name: String, card: Profile)]) in
      let accessLevels = try AccessLevelTable.accessLevels(of: account, db).filter { $0.value != .everything }
      var people: [Int64: (name: String, card: Profile)] = [:]
      for device in accessLevels.keys {
        guard let owner = try TrackTables.owner(of: device, db), let user = try UserTable.user(owner, db)
        else { continue }
        people[device] = (user.name, try FriendTable.profile(of: owner, db))
      }
      return (accessLevels, people)
    }
    let visible = VisiblePoints(Principal(identity: .anonymous, accessLevels: accessLevels), self)
    var friends: [FriendPosition] = []
    for (device, accessLevel) in accessLevels.sorted(by: { $0.key < $1.key }) {
      guard let (name, profile) = people[device], let point = try visible.newest(device, accessLevel) else { continue }
      let shown = profile.name ?? name
      friends.append(
        FriendPosition(name: shown, tid: profile.tid ?? String(shown.prefix(2)), avatar: profile.avatar, point: point))
    }
    return friends.sorted { ($0.name, $0.point.device.id) < ($1.name, $1.point.device.id) }
  }
}
