import Foundation
import GodwitResources
import GodwitTiles

// Looks up the names of positions in the built-in world.
//
// PlaceLookups measures look-ups of random positions on land, with no tile decoded before and with many, and prints JSON.
// PlaceLookups names reads lines "latitude longitude" and prints "code<tab>state<tab>town" for each; scripts/places compares them.

func worldNames() throws -> PlaceNames {
  func archive(_ name: String) throws -> TileArchive {
    try TileArchive(StaticBytes(EmbeddedFiles.world["CResources/World/\(name).pmtiles"]))
  }
  return try PlaceNames(world: archive("world"), names: archive("names"))
}

/// Random numbers that are the same in each run: SplitMix64, https://prng.di.unimi.it/splitmix64.c
struct Generator {
  var state: UInt64 = 20_261_125

  /// 0…1
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) / Double(1 << 53)
  }

  /// A random position, uniformly distributed on the sphere.
  mutating func position() -> (latitude: Double, longitude: Double) {
    (asin(next() * 2 - 1) * 180 / .pi, next() * 360 - 180)
  }
}

struct Result: Encodable {
  var count: Int
  var coldMedian: Double
  var cold99: Double
  var warmMedian: Double
  var warm99: Double
}

func measure() throws -> Result {
  let names = try worldNames()
  var generator = Generator()
  var positions: [(latitude: Double, longitude: Double)] = []
  while positions.count < 10_000 {
    let position = generator.position()
    if try names.name(latitude: position.latitude, longitude: position.longitude).countryCode != nil {
      positions.append(position)
    }
  }
  func milliseconds(_ names: PlaceNames, _ position: (latitude: Double, longitude: Double)) throws -> Double {
    let start = ContinuousClock.now
    _ = try names.name(latitude: position.latitude, longitude: position.longitude)
    return (ContinuousClock.now - start) / .milliseconds(1)
  }
  let cold = try positions.map { try milliseconds(try worldNames(), $0) }.sorted()
  // The positions of a device: a thousand around each of ten places.
  var warm: [Double] = []
  for home in positions.prefix(10) {
    for _ in 0..<1_000 {
      let near = (home.latitude + generator.next() * 0.2 - 0.1, home.longitude + generator.next() * 0.2 - 0.1)
      warm.append(try milliseconds(names, near))
    }
  }
  warm.sort()
  return Result(
    count: positions.count, coldMedian: cold[cold.count / 2], cold99: cold[cold.count * 99 / 100],
    warmMedian: warm[warm.count / 2], warm99: warm[warm.count * 99 / 100])
}

if CommandLine.arguments.dropFirst().first == "names" {
  let names = try worldNames()
  var output = ""
  while let line = readLine() {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 2 else { continue }
    let name = try names.name(latitude: numbers[0], longitude: numbers[1])
    output += "\(name.countryCode ?? "")\t\(name.state ?? "")\t\(name.town ?? "")\n"
    if output.utf8.count > 1 << 16 {
      FileHandle.standardOutput.write(Data(output.utf8))
      output = ""
    }
  }
  FileHandle.standardOutput.write(Data(output.utf8))
} else {
  FileHandle.standardOutput.write(try JSONEncoder().encode(try measure()))
}
