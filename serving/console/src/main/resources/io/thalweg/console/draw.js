// Draws tiles by pixels: each pixel of a tile is mapped to its lattice, rounded to the nearest hexagon and coloured by its value. The
// work depends on the pixels, not on the hexagons. Two renderers do the same arithmetic: WebGL 2, where a tile is a layer of a texture,
// and plain JavaScript.

import {STEPS, UNBOUNDED, step} from './ramp.js';
import {LatticeTile} from './tiles.js';

const NO_CELL = -2;
const NO_ROW = -1;
/** In place of infinity, which shaders need not support. */
const UNBOUNDED_VALUE = 3e38;
/**
 * Hexagons narrower than this, in pixels, have no gap between them, and those wider than the other have the whole. In between it grows,
 * because the hexagons of two tiles differ in width: with one limit, a part of the map would have gaps and the other would not.
 */
const GAP_FROM = 9;
const GAP_WHOLE = 15;
const GAP_PIXELS = 1.2;
const GAP_ALPHA = 0.55;
const FOOTPRINT_ALPHA = 0.05;

/**
 * The part of the world that a canvas shows: its centre (x, y), its size and the pixels of the world's width, all in device pixels, of
 * which there are `ratio` in a pixel of the page.
 */
export class Frame {
  constructor(x, y, pixels, width, height, ratio) {
    this.x = x;
    this.y = y;
    this.pixels = pixels;
    this.width = width;
    this.height = height;
    this.ratio = ratio;
  }

  /** The visible part of the map. */
  visible() {
    const halfX = this.width / this.pixels / 2;
    const halfY = this.height / this.pixels / 2;
    return {left: this.x - halfX, right: this.x + halfX, top: this.y - halfY, bottom: this.y + halfY};
  }

  /** The canvas coordinates of a point, in the copy of the world that is nearest to the centre. */
  at(x, y) {
    return [(x - Math.round(x - this.x) - this.x) * this.pixels + this.width / 2, (y - this.y) * this.pixels + this.height / 2];
  }

  /** Where a tile is on the canvas; null if it is not in view. */
  place(tile) {
    const [x, y] = this.at(tile.x0, tile.y0);
    const reach = tile.reach * this.pixels;
    const left = Math.max(0, Math.floor(x - reach));
    const top = Math.max(0, Math.floor(y - reach));
    const right = Math.min(this.width, Math.ceil(x + reach));
    const bottom = Math.min(this.height, Math.ceil(y + reach));
    const cell = tile.cellWidth * this.pixels;
    const grown = Math.min(1, Math.max(0, (cell - GAP_FROM) / (GAP_WHOLE - GAP_FROM)));
    const gap = (grown * 2 * GAP_PIXELS) / cell;
    return left < right && top < bottom ? {x, y, reach, left, top, right, bottom, gap} : null;
  }
}

/** How values are coloured: up to `most`; `colours` is a ramp, `ink` the colour of hexagons without a value, faint. */
export class Look {
  constructor(most, colours, ink) {
    this.most = most;
    this.colours = colours;
    this.ink = ink;
  }
}

/** The values of a tile by their place on its lattice. */
function byPlace(tile) {
  const {shape} = tile;
  const values = new Float32Array(shape.side * shape.side).fill(NO_CELL);
  for (let slot = 0; slot < shape.slots; slot++) {
    const value = tile.values[slot];
    values[shape.places[slot]] = Number.isNaN(value) ? NO_ROW : Math.min(value, UNBOUNDED_VALUE);
  }
  return values;
}

const VERTEX = `#version 300 es
in vec2 corner;
uniform vec4 box;
void main() {
  gl_Position = vec4(mix(box.xy, box.zw, corner), 0.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2DArray;
uniform sampler2DArray values;
uniform sampler2D colours;
uniform vec3 centre;
uniform float p[20];
uniform float height, most, gap;
uniform int layer, half_side;
uniform vec4 footprint;
out vec4 colour;
float cubic(int f, float u, float v) {
  float a = p[f] + v * (p[f + 2] + v * (p[f + 5] + v * p[f + 9]));
  float b = p[f + 1] + v * (p[f + 4] + v * p[f + 8]);
  float c = p[f + 3] + v * p[f + 7];
  return a + u * (b + u * (c + u * p[f + 6]));
}
void main() {
  float u = (gl_FragCoord.x - centre.x) / centre.z;
  float v = (height - gl_FragCoord.y - centre.y) / centre.z;
  float i = cubic(0, u, v);
  float j = cubic(10, u, v);
  vec3 cube = vec3(i, -j, j - i);
  vec3 near = floor(cube + 0.5);
  vec3 off = abs(near - cube);
  if (off.x > off.y && off.x > off.z) {
    near.x = -near.y - near.z;
  } else if (off.y > off.z) {
    near.y = -near.x - near.z;
  } else {
    near.z = -near.x - near.y;
  }
  ivec2 place = ivec2(int(near.x), -int(near.y)) + half_side;
  if (place.x < 0 || place.y < 0 || place.x > 2 * half_side || place.y > 2 * half_side) {
    discard;
  }
  float value = texelFetch(values, ivec3(place, layer), 0).r;
  if (value < -1.5) {
    discard;
  }
  vec4 fill = footprint;
  if (value > 0.0) {
    int at = value > 1e38 ? ${UNBOUNDED} : min(${STEPS - 1}, int(floor(sqrt(value / most) * ${STEPS - 1}.0 + 0.5)));
    fill = vec4(texelFetch(colours, ivec2(at, 0), 0).rgb, 1.0);
  }
  vec3 from = cube - near;
  vec3 edges = abs(from - from.yzx);
  float alpha = max(edges.x, max(edges.y, edges.z)) > 1.0 - gap ? fill.a * ${GAP_ALPHA} : fill.a;
  colour = vec4(fill.rgb * alpha, alpha);
}`;

/** Draws with WebGL 2. */
export class GlRenderer {
  static name = 'WebGL';
  #gl;
  #at = {};
  #layers = 0;
  #texture = null;
  #drawn = null;

  /** A renderer on a canvas; throws where there is no WebGL 2. */
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', {antialias: false, depth: false, preserveDrawingBuffer: true});
    if (!gl) {
      throw new Error('no WebGL 2');
    }
    this.#gl = gl;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      throw new Error(gl.getProgramInfoLog(program) ?? 'the shaders do not link');
    }
    gl.useProgram(program);
    const names = ['box', 'values', 'colours', 'centre', 'p', 'height', 'most', 'gap', 'layer', 'half_side', 'footprint'];
    for (const name of names) {
      this.#at[name] = gl.getUniformLocation(program, name);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    const corner = gl.getAttribLocation(program, 'corner');
    gl.enableVertexAttribArray(corner);
    gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.uniform1i(this.#at.values, 0);
    gl.uniform1i(this.#at.colours, 1);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Draws the lattices among the tiles; the others are polygons, which `drawPolygons` draws. */
  draw(frame, tiles, look) {
    const gl = this.#gl;
    const lattices = tiles.filter((tile) => tile instanceof LatticeTile);
    gl.viewport(0, 0, frame.width, frame.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (lattices.length === 0) {
      return;
    }
    this.#upload(lattices);
    this.#uploadColours(look.colours);
    gl.uniform1f(this.#at.height, frame.height);
    gl.uniform1f(this.#at.most, look.most);
    gl.uniform4f(this.#at.footprint, ...look.ink.map((part) => part / 255), FOOTPRINT_ALPHA);
    lattices.forEach((tile, layer) => {
      const place = frame.place(tile);
      if (place) {
        this.#drawOne(frame, tile, layer, place);
      }
    });
  }

  #drawOne(frame, tile, layer, {x, y, reach, left, top, right, bottom, gap}) {
    const gl = this.#gl;
    const across = (pixel) => (2 * pixel) / frame.width - 1;
    const up = (pixel) => 1 - (2 * pixel) / frame.height;
    gl.uniform4f(this.#at.box, across(left), up(bottom), across(right), up(top));
    gl.uniform3f(this.#at.centre, x, y, reach);
    gl.uniform1fv(this.#at.p, Float32Array.from(tile.p));
    gl.uniform1f(this.#at.gap, gap);
    gl.uniform1i(this.#at.layer, layer);
    gl.uniform1i(this.#at.half_side, tile.shape.half);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** A layer for each tile; nothing if these tiles are there already. */
  #upload(tiles) {
    if (this.#drawn?.length === tiles.length && tiles.every((tile, at) => tile === this.#drawn[at])) {
      return;
    }
    const gl = this.#gl;
    const {side} = tiles[0].shape;
    gl.activeTexture(gl.TEXTURE0);
    if (this.#drawn === null || this.#layers < tiles.length || this.#drawn[0].shape !== tiles[0].shape) {
      gl.deleteTexture(this.#texture);
      this.#texture = gl.createTexture();
      this.#layers = tiles.length;
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#texture);
      // A float texture cannot be filtered, and with the default filter it counts as incomplete.
      gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
      gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.R32F, side, side, this.#layers);
    }
    tiles.forEach((tile, layer) =>
      gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, side, side, 1, gl.RED, gl.FLOAT, byPlace(tile)));
    this.#drawn = tiles;
  }

  #uploadColours(colours) {
    const gl = this.#gl;
    const bytes = Uint8Array.from(colours.flatMap((colour) => [...colour, 255]));
    gl.activeTexture(gl.TEXTURE1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, colours.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  }
}

/** Draws with plain JavaScript. */
export class PixelRenderer {
  static name = 'JavaScript';
  #context;

  constructor(canvas) {
    this.#context = canvas.getContext('2d');
  }

  draw(frame, tiles, look) {
    const image = this.#context.createImageData(frame.width, frame.height);
    const pixels = new Uint32Array(image.data.buffer);
    for (const tile of tiles) {
      const place = tile instanceof LatticeTile ? frame.place(tile) : null;
      if (place) {
        drawTile(pixels, frame, tile, place, coloursByPlace(tile, look));
      }
    }
    this.#context.putImageData(image, 0, 0);
  }
}

/** For each place of a lattice: its colour as a pixel, 0 where there is no cell. */
function coloursByPlace(tile, look) {
  const ramp = look.colours.map((colour) => pixel(colour, 1));
  const none = pixel(look.ink, FOOTPRINT_ALPHA);
  return Uint32Array.from(byPlace(tile), (value) => {
    if (value === NO_CELL) {
      return 0;
    }
    return value > 0 ? ramp[step(value > 1e38 ? Infinity : value, look.most)] : none;
  });
}

function pixel([red, green, blue], alpha) {
  return ((Math.round(255 * alpha) << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** The pixel with the alpha of a gap. */
function thinned(colour) {
  return ((Math.round((colour >>> 24) * GAP_ALPHA) << 24) | (colour & 0xFFFFFF)) >>> 0;
}

function drawTile(pixels, frame, {p, shape: {half, side}}, {x, y, reach, left, top, right, bottom, gap}, colours) {
  for (let row = top; row < bottom; row++) {
    const v = (row + 0.5 - y) / reach;
    const i0 = p[0] + v * (p[2] + v * (p[5] + v * p[9]));
    const i1 = p[1] + v * (p[4] + v * p[8]);
    const i2 = p[3] + v * p[7];
    const i3 = p[6];
    const j0 = p[10] + v * (p[12] + v * (p[15] + v * p[19]));
    const j1 = p[11] + v * (p[14] + v * p[18]);
    const j2 = p[13] + v * p[17];
    const j3 = p[16];
    for (let column = left; column < right; column++) {
      const u = (column + 0.5 - x) / reach;
      const i = i0 + u * (i1 + u * (i2 + u * i3));
      const j = j0 + u * (j1 + u * (j2 + u * j3));
      let a = Math.floor(i + 0.5);
      let b = Math.floor(0.5 - j);
      let c = Math.floor(j - i + 0.5);
      const da = Math.abs(a - i);
      const db = Math.abs(b + j);
      const dc = Math.abs(c - j + i);
      if (da > db && da > dc) {
        a = -b - c;
      } else if (db > dc) {
        b = -a - c;
      } else {
        c = -a - b;
      }
      const across = a + half;
      const down = half - b;
      if (across < 0 || down < 0 || across >= side || down >= side) {
        continue;
      }
      const colour = colours[down * side + across];
      if (colour === 0) {
        continue;
      }
      const fa = i - a;
      const fb = -j - b;
      const fc = j - i - c;
      const edge = Math.max(Math.abs(fa - fb), Math.abs(fb - fc), Math.abs(fc - fa));
      pixels[row * frame.width + column] = edge > 1 - gap ? thinned(colour) : colour;
    }
  }
}

/** Fills the cells of tiles without a lattice. */
export function drawPolygons(context, frame, tiles, look) {
  for (const tile of tiles) {
    if (!(tile instanceof LatticeTile)) {
      for (const {corners, value} of tile.cells()) {
        const at = step(value, look.most);
        const [red, green, blue] = at < 0 ? look.ink : look.colours[at];
        context.fillStyle = `rgba(${red}, ${green}, ${blue}, ${at < 0 ? FOOTPRINT_ALPHA : 1})`;
        outline(context, frame, corners);
        context.fill();
      }
    }
  }
}

/** Begins a path around a cell. */
export function outline(context, frame, corners) {
  const [x, y] = frame.at(...corners[0]);
  context.beginPath();
  context.moveTo(x, y);
  for (const [cx, cy] of corners.slice(1)) {
    context.lineTo(x + (cx - corners[0][0]) * frame.pixels, y + (cy - corners[0][1]) * frame.pixels);
  }
  context.closePath();
}
