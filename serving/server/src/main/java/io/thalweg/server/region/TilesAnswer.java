package io.thalweg.server.region;

import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import io.thalweg.kernel.hex.TilePositions;
import io.thalweg.kernel.hex.TilePositions.Point;
import io.thalweg.server.http.AnswerJson;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the values of whole tiles as {@code application/vnd.thalweg.tiles}, which {@code docs/reference/console.md} describes: a head
 * in JSON, the tiles with a {@link TileFit}, and the others as polygons.
 *
 * <p><b>Missing data.</b> NaN stands for a cell without a row.
 */
public final class TilesAnswer {
    /** The route of tiles on the console, whose answers a browser may cache. */
    public static final String ROUTE = "^/v1/console/views/(?<name>[^/]+)/tiles$";

    static final String MEDIA_TYPE = "application/vnd.thalweg.tiles";
    public static final MediaType TYPE = MediaType.parse(MEDIA_TYPE);
    private static final int ALIGNMENT = 8;

    private final TilePositions places;
    private final int features;
    private final List<Lattice> lattices = new ArrayList<>();
    private final List<Polygons> polygons = new ArrayList<>();

    /** Creates an answer for tiles of a tiling, each with values of {@code features} features. */
    TilesAnswer(TilePositions places, int features) {
        this.places = places;
        this.features = features;
    }

    /** Whether a caller prefers this form. */
    public static boolean isAccepted(RequestHeaders headers) {
        return !headers.accept().isEmpty() && headers.accept().get(0).is(TYPE);
    }

    private record Lattice(long tile, TileFit fit, float[][] values) {
        int bytes() {
            int numbers = 1 + 3 + 2 * TileFit.TERMS;
            return Double.BYTES * numbers + values.length * padded(Float.BYTES * values[0].length);
        }

        void writeTo(ByteBuffer out) {
            out.putLong(tile).putDouble(fit.x0()).putDouble(fit.y0()).putDouble(fit.reach());
            for (double coefficient : fit.coefficients()) {
                out.putDouble(coefficient);
            }
            for (float[] feature : values) {
                write(out, feature);
            }
        }
    }

    private record Polygons(long tile, int[] slots, double[][] corners, float[][] values) {
        int bytes() {
            int bytes = 2 * ALIGNMENT + values.length * padded(Float.BYTES * slots.length);
            for (double[] cell : corners) {
                bytes += ALIGNMENT + Double.BYTES * cell.length;
            }
            return bytes;
        }

        void writeTo(ByteBuffer out) {
            out.putLong(tile).putInt(slots.length).putInt(0);
            for (float[] feature : values) {
                write(out, feature);
            }
            for (int cell = 0; cell < slots.length; cell++) {
                out.putInt(slots[cell]).putInt(corners[cell].length / 2);
                for (double number : corners[cell]) {
                    out.putDouble(number);
                }
            }
        }
    }

    /**
     * Adds a tile.
     *
     * @param fit null = as polygons
     * @param values by feature, then by slot; kept
     */
    void add(long tile, @Nullable TileFit fit, float[][] values) {
        if (fit == null) {
            polygons.add(polygons(tile, values));
        } else {
            lattices.add(new Lattice(tile, fit, values));
        }
    }

    private Polygons polygons(long tile, float[][] values) {
        List<Integer> slots = new ArrayList<>();
        List<double[]> corners = new ArrayList<>();
        double around = Mercator.x(TilePositions.centre(tile));
        for (int slot = 0; slot < places.tiling().slots(); slot++) {
            double[] cell = Float.isNaN(values[0][slot])
                    ? null
                    : corners(TilePositions.corners(places.tiling().cell(tile, slot)), around);
            if (cell != null) {
                slots.add(slot);
                corners.add(cell);
            }
        }
        float[][] kept = new float[features][slots.size()];
        for (int feature = 0; feature < features; feature++) {
            for (int cell = 0; cell < slots.size(); cell++) {
                kept[feature][cell] = values[feature][slots.get(cell)];
            }
        }
        return new Polygons(
                tile, slots.stream().mapToInt(Integer::intValue).toArray(), corners.toArray(double[][]::new), kept);
    }

    /** Returns the corners near a place of the map; null where the map ends. */
    private static double @Nullable [] corners(List<Point> corners, double around) {
        double[] numbers = new double[2 * corners.size()];
        for (int corner = 0; corner < corners.size(); corner++) {
            Point point = corners.get(corner);
            if (!Mercator.shows(point)) {
                return null;
            }
            numbers[2 * corner] = around + Mercator.way(around, Mercator.x(point));
            numbers[2 * corner + 1] = Mercator.y(point);
        }
        return numbers;
    }

    /** Returns the answer; {@code head} adds the fields of the header besides the numbers of tiles. */
    byte[] bytes(AnswerJson.Fields head) {
        byte[] json = AnswerJson.bytes(out -> {
            head.write(out);
            out.writeNumberField("resolution", places.tiling().resolution());
            out.writeNumberField("slots", places.tiling().slots());
            out.writeNumberField("lattices", lattices.size());
            out.writeNumberField("polygons", polygons.size());
        });
        int size = padded(Integer.BYTES + json.length)
                + lattices.stream().mapToInt(Lattice::bytes).sum()
                + polygons.stream().mapToInt(Polygons::bytes).sum();
        ByteBuffer out = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(json.length).put(json).position(padded(out.position()));
        lattices.forEach(tile -> tile.writeTo(out));
        polygons.forEach(tile -> tile.writeTo(out));
        return out.array();
    }

    /** Returns the lattice coordinates of all slots of a tiling: i and j in turn, 16 bits each. */
    public static byte[] shape(TilePositions places) {
        int slots = places.tiling().slots();
        ByteBuffer out = ByteBuffer.allocate(2 * Short.BYTES * slots).order(ByteOrder.LITTLE_ENDIAN);
        for (int slot = 0; slot < slots; slot++) {
            out.putShort((short) places.i(slot)).putShort((short) places.j(slot));
        }
        return out.array();
    }

    private static void write(ByteBuffer out, float[] numbers) {
        for (float number : numbers) {
            out.putFloat(number);
        }
        out.position(padded(out.position()));
    }

    private static int padded(int bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
