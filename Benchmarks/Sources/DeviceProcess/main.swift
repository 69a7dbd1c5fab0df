import DeviceLife
import Foundation

// Runs a device without the libraries of a server, so that they do not count as its memory.
//
//     DeviceProcess sync FILE SERVER TOKEN
//     DeviceProcess life COMMAND      with the command as JSON; on Linux

let words = Array(CommandLine.arguments.dropFirst())
let encoder = JSONEncoder()
switch words.first {
case "sync" where words.count == 4:
  guard let server = URL(string: words[2]) else { exit(2) }
  let report = try await DeviceSync.run(to: words[1], from: server, token: words[3])
  FileHandle.standardOutput.write(try encoder.encode(report))
#if os(Linux)
  case "life" where words.count == 2:
    let command = try JSONDecoder().decode(Device.Command.self, from: Data(words[1].utf8))
    FileHandle.standardOutput.write(try encoder.encode(try await Device.run(command)))
#endif
default: exit(2)
}
