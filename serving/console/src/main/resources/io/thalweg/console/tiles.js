// Hexagons by arithmetic, without H3. A tile has up to 16,807 cells on a plane lattice; the server sends the map from Web Mercator to
// lattice coordinates as two cubic polynomials. A point's cell is its lattice coordinates, rounded. docs/reference/console.md
// describes the encoding.

const RESOLUTION_SHIFT = 52n;
const FINEST = 15;
const TERMS = 10;
const SLOT_MISSING = -1;

/** The steps to the six neighbours of a cell, and to its corners, in lattice coordinates. */
export const NEIGHBOURS = [[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]];
const CORNERS = [[2 / 3, 1 / 3], [1 / 3, 2 / 3], [-1 / 3, 1 / 3], [-2 / 3, -1 / 3], [-1 / 3, -2 / 3], [1 / 3, -1 / 3]];

/** Web Mercator: the world is the square from (0, 0), north-west, to (1, 1). */
export const mercator = {
  x: (lng) => lng / 360 + 0.5,
  y: (lat) => {
    const sine = Math.sin((lat * Math.PI) / 180);
    return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
  },
  lng: (x) => (x - 0.5) * 360,
  lat: (y) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
};

/** The shortest way from one x to another, across the antimeridian if need be. */
export function way(from, to) {
  return to - from - Math.round(to - from);
}

/** Where the slots of all tiles of a resolution are on their lattice. */
export class Shape {
  constructor(buffer) {
    const pairs = new Int16Array(buffer);
    this.slots = pairs.length / 2;
    this.half = pairs.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    this.side = 2 * this.half + 1;
    this.i = pairs.filter((_, at) => at % 2 === 0);
    this.j = pairs.filter((_, at) => at % 2 === 1);
    /** By slot: the place in a square of side * side. */
    this.places = Int32Array.from(this.i, (i, slot) => (this.j[slot] + this.half) * this.side + i + this.half);
    this.slotOf = new Int16Array(this.side * this.side).fill(SLOT_MISSING);
    this.places.forEach((place, slot) => {
      this.slotOf[place] = slot;
    });
  }

  /** The slot whose cell contains lattice coordinates; -1 if it is not the tile's. */
  slot(i, j) {
    let a = Math.floor(i + 0.5);
    let b = Math.floor(0.5 - j);
    const c = Math.floor(j - i + 0.5);
    const da = Math.abs(a - i);
    const db = Math.abs(b + j);
    const dc = Math.abs(c - j + i);
    if (da > db && da > dc) {
      a = -b - c;
    } else if (db > dc) {
      b = -a - c;
    }
    const column = a + this.half;
    const row = this.half - b;
    return column < 0 || row < 0 || column >= this.side || row >= this.side
      ? SLOT_MISSING : this.slotOf[row * this.side + column];
  }
}

/** A tile whose cells are a lattice. Its centre is (x0, y0); u and v are distances from it, from -1 to 1. */
export class LatticeTile {
  #positions = null;

  constructor(index, shape, [x0, y0, reach], polynomials, values) {
    this.index = index;
    this.shape = shape;
    this.x0 = x0;
    this.y0 = y0;
    this.reach = reach;
    this.p = polynomials;
    this.values = values;
  }

  get slots() {
    return this.shape.slots;
  }

  value(slot) {
    return this.values[slot];
  }

  /** The slot of the cell at a point of the map; -1 if there is none. */
  slotAt(x, y) {
    const u = way(this.x0, x) / this.reach;
    const v = (y - this.y0) / this.reach;
    return Math.abs(u) > 1 || Math.abs(v) > 1
      ? SLOT_MISSING : this.shape.slot(polynomial(this.p, 0, u, v), polynomial(this.p, TERMS, u, v));
  }

  /** The point of the map at lattice coordinates, by Newton's method. */
  point(i, j) {
    let u = 0;
    let v = 0;
    for (let step = 0; step < 5; step++) {
      const di = i - polynomial(this.p, 0, u, v);
      const dj = j - polynomial(this.p, TERMS, u, v);
      const [iu, iv] = slopes(this.p, 0, u, v);
      const [ju, jv] = slopes(this.p, TERMS, u, v);
      const area = iu * jv - iv * ju;
      u += (di * jv - dj * iv) / area;
      v += (dj * iu - di * ju) / area;
    }
    return [this.x0 + u * this.reach, this.y0 + v * this.reach];
  }

  /** Two numbers for each slot: its centre on the map. */
  positions() {
    if (this.#positions === null) {
      this.#positions = new Float64Array(2 * this.slots);
      for (let slot = 0; slot < this.slots; slot++) {
        this.#positions.set(this.point(this.shape.i[slot], this.shape.j[slot]), 2 * slot);
      }
    }
    return this.#positions;
  }

  centre(slot) {
    return this.point(this.shape.i[slot], this.shape.j[slot]);
  }

  corners(slot) {
    return CORNERS.map(([i, j]) => this.point(this.shape.i[slot] + i, this.shape.j[slot] + j));
  }

  /** The centres of the neighbours, also of those in other tiles. */
  around(slot) {
    return NEIGHBOURS.map(([i, j]) => this.point(this.shape.i[slot] + i, this.shape.j[slot] + j));
  }

  /** The width of a cell, as a part of the world. */
  get cellWidth() {
    const [iu, iv] = slopes(this.p, 0, 0, 0);
    const [ju, jv] = slopes(this.p, TERMS, 0, 0);
    return this.reach * Math.sqrt((2 / Math.sqrt(3)) / Math.abs(iu * jv - iv * ju));
  }

  /** Keeps what was computed of an older answer's tile. */
  inherit(older) {
    this.#positions = older?.shape === this.shape ? older.#positions : null;
  }

  /** The same tile with other values. */
  withValues(valueOf) {
    const values = this.values.map((value, slot) => valueOf(value, slot));
    return new LatticeTile(this.index, this.shape, [this.x0, this.y0, this.reach], this.p, values);
  }
}

function polynomial(p, first, u, v) {
  const a = p[first] + v * (p[first + 2] + v * (p[first + 5] + v * p[first + 9]));
  const b = p[first + 1] + v * (p[first + 4] + v * p[first + 8]);
  const c = p[first + 3] + v * p[first + 7];
  return a + u * (b + u * (c + u * p[first + 6]));
}

function slopes(p, first, u, v) {
  return [
    p[first + 1] + 2 * u * p[first + 3] + v * p[first + 4] + 3 * u * u * p[first + 6] + 2 * u * v * p[first + 7]
      + v * v * p[first + 8],
    p[first + 2] + u * p[first + 4] + 2 * v * p[first + 5] + u * u * p[first + 7] + 2 * u * v * p[first + 8]
      + 3 * v * v * p[first + 9],
  ];
}

/** A tile without a lattice: the server sends the corners of the cells that have a row. */
export class PolygonTile {
  #cells;

  constructor(index, cells) {
    this.index = index;
    this.#cells = new Map(cells.map((cell) => [cell.slot, cell]));
  }

  get slots() {
    return this.#cells.size;
  }

  cells() {
    return this.#cells.values();
  }

  value(slot) {
    return this.#cells.get(slot)?.value ?? NaN;
  }

  slotAt(x, y) {
    for (const {slot, corners} of this.#cells.values()) {
      if (encloses(corners, x, y)) {
        return slot;
      }
    }
    return SLOT_MISSING;
  }

  corners(slot) {
    return this.#cells.get(slot).corners;
  }

  centre(slot) {
    const corners = this.corners(slot);
    const sum = corners.reduce((all, corner) => [all[0] + corner[0], all[1] + corner[1]], [0, 0]);
    return [sum[0] / corners.length, sum[1] / corners.length];
  }

  /** Points beyond the middle of each edge. */
  around(slot) {
    const [x, y] = this.centre(slot);
    const corners = this.corners(slot);
    return corners.map(([cx, cy], at) => {
      const [nx, ny] = corners[(at + 1) % corners.length];
      return [cx + nx - x, cy + ny - y];
    });
  }

  inherit() {}

  /** The same tile with other values. */
  withValues(valueOf) {
    return new PolygonTile(this.index, [...this.cells()].map((cell) => ({...cell, value: valueOf(cell.value, cell.slot)})));
  }
}

function encloses(corners, x, y) {
  let inside = false;
  corners.forEach(([x1, y1], at) => {
    const [x2, y2] = corners[(at + 1) % corners.length];
    const here = x1 + way(x1, x);
    if (y1 > y !== y2 > y && here < x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)) {
      inside = !inside;
    }
  });
  return inside;
}

/** Reads an answer of application/vnd.thalweg.tiles: its head and its tiles. */
export function decode(buffer, shape) {
  const view = new DataView(buffer);
  const length = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = padded(4 + length);
  const take = (Type, count) => {
    const taken = new Type(buffer, at, count);
    at = padded(at + taken.byteLength);
    return taken;
  };
  const tiles = [];
  for (let tile = 0; tile < head.lattices; tile++) {
    const index = take(BigUint64Array, 1)[0];
    tiles.push(new LatticeTile(index, shape, take(Float64Array, 3), take(Float64Array, 2 * TERMS),
      take(Float32Array, head.slots)));
  }
  for (let tile = 0; tile < head.polygons; tile++) {
    const index = take(BigUint64Array, 1)[0];
    const [count] = take(Uint32Array, 1);
    const values = take(Float32Array, count);
    const cells = [];
    for (let cell = 0; cell < count; cell++) {
      const [slot, corners] = take(Uint32Array, 2);
      const numbers = take(Float64Array, 2 * corners);
      cells.push({
        slot, value: values[cell], corners: Array.from({length: corners}, (_, n) => [numbers[2 * n], numbers[2 * n + 1]]),
      });
    }
    tiles.push(new PolygonTile(index, cells));
  }
  return {head, tiles};
}

function padded(bytes) {
  return Math.ceil(bytes / 8) * 8;
}

/** The indexes of H3: four bits of resolution, a base cell, and a digit of three bits for each resolution. */
export class Cells {
  constructor(resolution) {
    this.resolution = resolution;
    this.tileResolution = Math.max(0, resolution - 5);
    this.unused = 3 * (FINEST - resolution);
    this.digits = resolution - this.tileResolution;
    this.mask = ((1n << BigInt(3 * this.digits)) - 1n) << BigInt(this.unused);
  }

  /** The hex text of the cell at a slot of a tile. */
  text(tile, slot) {
    let digits = 0n;
    let rest = slot;
    for (let digit = 0; digit < this.digits; digit++) {
      digits |= BigInt(rest % 7) << BigInt(this.unused + 3 * digit);
      rest = Math.floor(rest / 7);
    }
    const base = tile & ~(0xFn << RESOLUTION_SHIFT) & ~this.mask;
    return (base | (BigInt(this.resolution) << RESOLUTION_SHIFT) | digits).toString(16);
  }

  /** The tile of a cell and its slot there. */
  place(text) {
    const cell = BigInt(`0x${text}`);
    let slot = 0;
    for (let digit = this.digits - 1; digit >= 0; digit--) {
      slot = slot * 7 + (Number(cell >> BigInt(this.unused + 3 * digit)) & 7);
    }
    const tile = (cell & ~(0xFn << RESOLUTION_SHIFT)) | (BigInt(this.tileResolution) << RESOLUTION_SHIFT) | this.mask;
    return {tile, slot};
  }
}
