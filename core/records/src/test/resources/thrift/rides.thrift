/*
 * Events of a ride, as the dispatch service publishes them.
 */
namespace java com.example.rides
namespace py example.rides
namespace * example.rides
namespace smalltalk.category Example-Rides

include "shared/geo.thrift"
include "shared/money.thrift"
cpp_include "<unordered_map>"

/** Milliseconds since 1970. */
typedef i64 (thalweg.type = "timestamp_ms") Millis
typedef string RiderId
typedef list<geo.Point> Track

const i32 SEATS = 4
const bool SHARED = true
const map<string, i32> LIMITS = {"luggage": 2, 'pets': 1,}
const list<double> FACTORS = [1.0, 1.5e0, .25, -3e-2];

enum Status {
  REQUESTED,          // 0
  ACCEPTED = 10;
  DRIVING,            # 11
  DONE = 0x14 (deprecated = "no"),
  CANCELLED = -1
} (owner = "dispatch")

senum Channel { "app", "web" }

struct Rider {
  1: required RiderId id
  2: optional binary device (thalweg.type = "uuid"),
  3: optional i32 born (thalweg.type = 'date');
  4: set<string> tags = []
}

/** What the ride is paid with: exactly one. */
union Payment {
  1: money.Card card
  2: string voucher
  3: bool cash
}

struct Stop {
  1: required geo.Point at
  2: optional Millis arrived
  3: optional Track approach
}

struct RideEvent {
  1: required uuid id
  2: required Status status
  3: required Millis at
  4: optional i64 accepted (thalweg.type = "timestamp_us")
  5: optional Rider rider
  6: optional list<Stop> stops
  7: optional map<string, money.Amount> fees = {}
  8: optional Payment payment
  9: i32 seats = SEATS
  10: bool shared = SHARED
  11: double surge = 1.0
  12: string channel = "app" (presentation.title = "Channel")
  13: Status previous = Status.REQUESTED
  14: money.Currency currency = money.Currency.EUR
  15: i16 wait_minutes = money.GRACE
  16: byte rating
  17: i8 retries = -1
  18: map<geo.Point, i32> visits
  19: map<Status, list<map<string, set<i64>>>> history
  20: list<i64 (thalweg.type = "timestamp_s")> pings
  32767: optional binary raw
}

exception RideRefused {
  1: required string reason
  2: optional Status status
}

service Rides extends shared.Base {
  RideEvent ride(1: string id) throws (1: RideRefused refused),
  oneway void publish(1: RideEvent event, 2: map<string, string> headers = {"a": "}"});
  /* a comment with { */
  list<RideEvent> since(1: Millis from, // another }
    2: i32 limit = 100)
} (a.b = "c")
