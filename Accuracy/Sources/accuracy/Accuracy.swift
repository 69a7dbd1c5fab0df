import AccuracyData
import Foundation
import GodwitModel
import GodwitModes

/// Measures analyses against public data with ground truth. `Accuracy/README.md` describes the commands.
@main
struct Accuracy {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch (arguments.first, arguments.count) {
      case ("mode-features", 2): try ModeScores.printFeatures(of: dataset(arguments[1]))
      case ("modes", 4):
        try ModeScores.printTable(
          of: dataset(arguments[1]), groups: PersonGroups(path: arguments[2]), models: arguments[3])
      case ("timeline-modes", 4):
        try TimelineModeScores.printTable(
          of: dataset(arguments[1]), groups: PersonGroups(path: arguments[2]), models: arguments[3])
      case ("mode-habits", 4):
        try ModeHabitScores.printTable(
          of: dataset(arguments[1]), groups: PersonGroups(path: arguments[2]), models: arguments[3])
      case ("stays", 3), ("stays", 4):
        try StayScores.printTable(
          of: dataset(arguments[1]), users: arguments[2],
          others: arguments.count > 3 ? arguments[3] : nil)
      case ("phones", 2):
        try PhoneScores.printTables(of: dataset(arguments[1]))
      case ("phone-energy", 2):
        try PhoneEnergy.printTable(of: dataset(arguments[1]))
      case ("outliers", 2):
        try OutlierScores.printTables(of: dataset(arguments[1]))
      case ("injected-outliers", 2): try OutlierScores.printTable(of: dataset(arguments[1]))
      case ("motion-chips", 1): MotionChips.printTable()
      case ("motion-chips", 2):
        try MotionChips.printModels(of: dataset(arguments[1]))
      #if os(Linux)
        case ("phone-simulation", 2), ("phone-simulation", 3):
          try PhoneSimulation(of: dataset(arguments[1]), phone: arguments.count > 2 ? arguments[2] : nil).printTables()
        case ("phone-parts", 2), ("phone-parts", 3):
          try PhoneSimulation(of: dataset(arguments[1]), phone: arguments.count > 2 ? arguments[2] : nil).printParts()
      #endif
      case ("roads", 3), ("roads", 4):
        try RoadScores.printTable(
          of: dataset(arguments[1]), range: arguments[2],
          others: arguments.count > 3 ? arguments[3] : nil)
      case ("transit", 2): try TransitScores.printTables(of: dataset(arguments[1]))
      case ("transit-rails", 3): try RailScores.printTables(of: dataset(arguments[1]), dataset(arguments[2]))
      case ("phone-rails", 2): try RailScores.printTables(of: dataset(arguments[1]))
      case ("deliveries", 3):
        try DeliveryScores.printTable(of: dataset(arguments[1]), split: arguments[2])
      case ("taxis", 2): try TaxiScores.printTable(of: dataset(arguments[1]))
      default:
        print(
          """
          accuracy mode-features GEOLIFE           prints the features of each labelled segment, for Accuracy/train-modes
          accuracy modes GEOLIFE GROUPS MODELS     prints the table of the modes: each group of people by the model that never saw it
          accuracy timeline-modes GEOLIFE GROUPS MODELS  the same for the parts of trips that the timeline finds
          accuracy mode-habits GEOLIFE GROUPS MODELS  prints what corrections of modes do for later trips between the same places
          accuracy stays DIARIES USERS [STAYS]     prints the scores of the timeline, and of the programs whose stays are in a file
          accuracy phones MOBILITYNET              prints the errors of stays and kinds of transport for each phone's settings
          accuracy phone-energy MOBILITYNET        prints the battery that each setting used, relative to the best accuracy at all times
          accuracy outliers MOBILITYNET            prints how many positions off the true lines are found, and how many others
          accuracy injected-outliers GEOLIFE       prints how many wrong positions that are put into tracks are found
          accuracy phone-simulation MOBILITYNET [PHONE]  prints the same and errors of positions beside those of simulated phones (Linux)
          accuracy phone-parts MOBILITYNET [PHONE]  prints the power of the simulated phones by part, for Accuracy/fit-phones (Linux)
          accuracy motion-chips MOBILITYNET        prints the models of motion chips, Sources/GodwitSimulator/Phones/motion-chips.json
          accuracy motion-chips                    prints those of the program as a table
          accuracy roads TRACKS FIRST-LAST [ROUTES]  prints how much of the true routes is found, at several intervals, and how fast
          accuracy taxis TAXIS                     prints how much of the true routes of taxis with sparse positions is found
          accuracy transit AALTO                   prints the modes of rides in Helsinki, beside Android's activities
          accuracy transit-rails AALTO RAILS       prints what a map of rails does for the modes of these rides
          accuracy phone-rails MOBILITYNET         prints the same for the rides of its phones, with the lines of its trains
          accuracy deliveries GOAL SPLIT           prints when delivery agents drive, beside a limit of the speed
          """)
        exit(2)
      }
    } catch {
      FileHandle.standardError.write(Data("accuracy: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Reads a data set, and prints a warning to standard error if its data are not those of the figures.
  private static func dataset<Set: PublicDataset>(_ path: String) throws -> Set {
    let folder = URL(fileURLWithPath: path)
    let data = try Set(folder: folder)
    if let warning = try DatasetDigest.warning(about: Set.dataset, data.files, in: folder) {
      FileHandle.standardError.write(Data("accuracy: \(warning)\n".utf8))
    }
    return data
  }
}
