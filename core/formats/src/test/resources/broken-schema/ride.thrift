struct Place { 1: required double lat, 2: required double lng }
struct Tree { 1: string name, 2: list<Tree> children }
struct Ride {
  1: required i64 ts (thalweg.type = "timestamp_ms"),
  2: string id,
  3: Place pickup,
  4: list<Place> stops,
  5: map<string, double> surcharges,
  6: binary photo,
  7: bool shared,
  8: i32 seats,
  9: double fare,
  10: i64 seconds,
  11: binary rider (thalweg.type = "uuid"),
  12: i32 day (thalweg.type = "date"),
  13: Tree tree
}
