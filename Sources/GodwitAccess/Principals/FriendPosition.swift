internal import Foundation
internal import GodwitAccounts
internal import GodwitModel
package import GodwitStore

/// The position of a friend, for OwnTracks apps and other programs that show friends.
package struct FriendPosition: Sendable {
  /// The name in the user's profile, or the user name.
  package var name: String
  /// Two characters for a marker on a map.
  package var tid: String
  /// A picture, PNG or JPEG.
  package var avatar: [UInt8]?
  /// The newest point of a device: time, position and accuracy only.
  package var point: StoredPoint
}

extension StoreDatabase {
  /// Returns the positions of the friends of a device's owner: the newest visible point of each device.
  /// - Parameter device: the requesting device.
  /// - Returns: the positions, ordered by the friend's name; empty if the device belongs to the administrator.
  /// - Throws: the database's errors.
  package func friends(ofDevice device: Int64) throws -> [FriendPosition] {
    guard let owner = try read({ try TrackTables.owner(of: device, $0) }) else { return [] }
    return try friends(ofUser: owner)
  }

  /// Returns the positions of a user's friends.
  /// - Parameter account: the requesting user.
  /// - Returns: the positions, ordered by the friend's name.
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
