# Amounts are in the smallest unit of their currency.
namespace java com.example.money

const i16 GRACE = 5;

enum Currency { EUR = 978, USD = 840, JPY = 392 }

struct Amount {
  1: required i64 units;
  2: required Currency currency;
}

struct Card {
  1: required string last_digits (redact = "true")
  2: optional string network
}
