internal import GodwitGeofencing

extension EventBroadcaster: RegionFeed {}
