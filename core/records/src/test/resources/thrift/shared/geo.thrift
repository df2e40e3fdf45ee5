namespace java com.example.geo

struct Point {
  1: required double lat,
  2: required double lon,
  3: optional double height_m
}
