extension LocationServices {
  /// The managers, streams and sessions of the app, in the order in which they came. They are few, and looked through at every
  /// position: two arrays need neither hashing nor sorting.
  struct Clients: Sendable {
    private(set) var ids: [ClientID] = []
    private(set) var values: [Client] = []

    subscript(id: ClientID) -> Client? {
      get { ids.firstIndex(of: id).map { values[$0] } }
      set {
        switch (ids.firstIndex(of: id), newValue) {
        case (let index?, let client?): values[index] = client
        case (let index?, nil):
          ids.remove(at: index)
          values.remove(at: index)
        case (nil, let client?):
          let index = ids.firstIndex { id < $0 } ?? ids.endIndex
          ids.insert(id, at: index)
          values.insert(client, at: index)
        case (nil, nil): break
        }
      }
    }

    mutating func removeAll() { (ids, values) = ([], []) }

    func contains(where isMeant: (Client) -> Bool) -> Bool { values.contains(where: isMeant) }
  }
}
