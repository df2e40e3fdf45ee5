// About a kilobyte of a ride: ids, times, places, numbers, texts of few and of many values.
enum RideStatus {
  REQUESTED = 1,
  ACCEPTED = 2,
  COMPLETED = 3,
  CANCELLED = 4
}

struct Place {
  1: required double lat,
  2: required double lng,
  3: optional string address
}

struct Ride {
  1: required string event_id,
  2: required i64 ts (thalweg.type = "timestamp_ms"),
  3: required RideStatus status,
  4: required string rider_id,
  5: optional string driver_id,
  6: required Place pickup,
  7: optional Place dropoff,
  8: optional string product,
  9: optional i32 passengers,
  10: optional i64 fare_cents,
  11: optional double rating,
  12: optional bool shared,
  13: optional string app_version,
  14: optional string device,
  15: optional list<string> promotions,
  16: optional map<string, double> surcharges,
  17: optional string session_id,
  18: optional string note
}
