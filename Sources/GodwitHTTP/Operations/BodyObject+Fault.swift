extension BodyObject {
  /// Returns the problem with which a handler rejects a member of the body.
  package static func fault(_ name: String, _ why: String) -> Problem {
    Problem(422, "Not a \(kind)", "\(name): \(why)", at: name)
  }
}
