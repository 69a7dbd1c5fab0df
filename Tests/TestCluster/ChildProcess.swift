import Foundation

/// A started program. It does not use Foundation's `Process`, which in Swift 6.3 reads beyond a buffer if a process has more than a
/// thousand open files, as tests of servers have.
public struct ChildProcess: Sendable {
  /// The process ID.
  public let id: Int32

  /// The reason why the program was not started.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// Starts a program that inherits only three file descriptors, and no blocked signals.
  /// - Parameters:
  ///   - path: the path of the program.
  ///   - arguments: the arguments after the name of the program.
  ///   - environment: all variables of the program; `nil`: those of this process.
  ///   - input: the file descriptor of the standard input; `nil`: `/dev/null`.
  ///   - output: the file descriptor of the standard output; `nil`: `/dev/null`.
  ///   - error: the file descriptor of the standard error; `nil`: `/dev/null`.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String]? = nil, input: Int32? = nil, output: Int32? = nil,
    error: Int32? = nil
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, descriptor) in [(Int32(0), input), (1, output), (2, error)] {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      } else {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
      }
    }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let texts = (["bash", "-c", Self.script, "bash", path] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?]?
    if let environment { variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil] }
    defer { for text in texts + (variables ?? []) { free(text) } }
    var id: pid_t = 0
    let status: Int32
    if let variables {
      status = posix_spawn(&id, "/bin/bash", &actions, &attributes, texts, variables)
    } else {
      status = posix_spawn(&id, "/bin/bash", &actions, &attributes, texts, environ)
    }
    guard status == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(status)))") }
    self.id = id
  }

  /// Closes the inherited files, which may be sockets for whose end another process waits.
  private static let script = #"""
    for file in /dev/fd/*; do
      number=${file##*/}
      if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
    done
    exec "$@"
    """#

  /// Waits for the end of the program.
  /// - Returns: the exit status, or 128 plus the signal that ended the program.
  @discardableResult
  public func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
  }

  /// Kills the program, and waits for its end.
  public func kill() {
    _ = Foundation.kill(id, SIGKILL)
    wait()
  }
}
