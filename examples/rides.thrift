// Events of a ride-hailing marketplace, as a rider's app sends them.
namespace java example.rides

enum RideStatus {
  REQUESTED = 1,
  ACCEPTED = 2,
  COMPLETED = 3,
  CANCELLED = 4,
  TEST = 99
}

struct Place {
  1: required double lat,
  2: required double lng,
  3: optional string address
}

struct Rider {
  1: required string id,
  2: optional string locale,
  3: optional double rating
}

union Payment {
  1: string card_token,
  2: i64 wallet_cents,
  3: bool cash
}

struct RideEvent {
  1: required string event_id,
  2: required i64 ts (thalweg.type = "timestamp_ms"),
  3: required RideStatus status,
  4: required Rider rider,
  5: required Place pickup,
  6: optional Place dropoff,
  7: optional string product,
  8: optional i32 passengers = 1,
  9: optional i64 fare_cents,
  10: optional Payment payment,
  11: optional list<string> promotions,
  12: optional map<string, double> surcharges,
  13: optional bool shared = false,
  14: optional string app_version,
  15: optional string note
}
