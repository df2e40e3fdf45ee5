package io.thalweg.server.region;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TilePositions;
import io.thalweg.kernel.hex.TilePositions.Point;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TilesAnswerTest {
    private static final TilePositions PLACES = new TilePositions(HexTiling.of(9));
    private static final HexTiling TILING = PLACES.tiling();
    private static final long PENTAGON = 0x841c001ffffffffL;

    private static float[][] values(int features) {
        float[][] values = new float[features][TILING.slots()];
        for (float[] feature : values) {
            Arrays.fill(feature, Float.NaN);
        }
        return values;
    }

    private static ByteBuffer skipHead(byte[] answer) {
        ByteBuffer in = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN);
        int length = in.getInt();
        return in.position((4 + length + 7) / 8 * 8);
    }

    private static JsonNode head(byte[] answer) throws Exception {
        int length = ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN).getInt();
        return new ObjectMapper().readTree(answer, 4, length);
    }

    @Test
    void bytes_latticeWithTwoFeatures_hasTheFitAndValuesBySlot() throws Exception {
        long tile = TILING.tile(TILING.cell(40.71, -74.01));
        TileFit fit = Objects.requireNonNull(TileFit.of(PLACES, tile));
        float[][] values = values(2);
        values[0][5] = 1.5f;
        values[1][16_806] = 2.5f;
        TilesAnswer answer = new TilesAnswer(PLACES, 2);
        answer.add(tile, fit, values);
        byte[] bytes = answer.bytes(out -> out.writeStringField("view", "demand"));

        assertThat(head(bytes))
                .isEqualTo(
                        new ObjectMapper()
                                .readTree(
                                        "{\"view\":\"demand\",\"resolution\":9,\"slots\":16807,\"lattices\":1,\"polygons\":0}"));
        ByteBuffer in = skipHead(bytes);
        assertThat(in.getLong()).isEqualTo(tile);
        assertThat(List.of(in.getDouble(), in.getDouble(), in.getDouble()))
                .containsExactly(fit.x0(), fit.y0(), fit.reach());
        for (double coefficient : fit.coefficients()) {
            assertThat(in.getDouble()).isEqualTo(coefficient);
        }
        for (float[] feature : values) {
            for (float value : feature) {
                assertThat(Float.valueOf(in.getFloat())).isEqualTo(Float.valueOf(value));
            }
            in.getFloat(); // 16,807 numbers of four bytes are padded to eight
        }
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void bytes_pentagon_hasTheCornersOfTheCellsWithARow() throws Exception {
        int slot = TILING.slot(TILING.cell(
                TilePositions.centre(PENTAGON).latDeg() + 0.02,
                TilePositions.centre(PENTAGON).lngDeg()));
        float[][] values = values(1);
        values[0][0] = 3; // the pentagon itself
        values[0][slot] = 4;
        TilesAnswer answer = new TilesAnswer(PLACES, 1);
        answer.add(PENTAGON, null, values);
        byte[] bytes = answer.bytes(out -> {});

        assertThat(head(bytes).path("polygons").asInt()).isEqualTo(1);
        ByteBuffer in = skipHead(bytes);
        assertThat(in.getLong()).isEqualTo(PENTAGON);
        assertThat(in.getInt()).isEqualTo(2);
        in.getInt();
        assertThat(List.of(in.getFloat(), in.getFloat())).containsExactly(3f, 4f);
        for (int expected : new int[] {0, slot}) {
            assertThat(in.getInt()).isEqualTo(expected);
            List<Point> corners = TilePositions.corners(TILING.cell(PENTAGON, expected));
            assertThat(in.getInt()).isEqualTo(corners.size());
            for (Point corner : corners) {
                assertThat(in.getDouble()).isEqualTo(Mercator.x(corner));
                assertThat(in.getDouble()).isEqualTo(Mercator.y(corner));
            }
        }
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void shape_eachSlot_hasItsCoordinatesOnce() {
        ByteBuffer in = ByteBuffer.wrap(TilesAnswer.shape(PLACES)).order(ByteOrder.LITTLE_ENDIAN);
        Set<Integer> seen = new HashSet<>();
        for (int slot = 0; slot < TILING.slots(); slot++) {
            short i = in.getShort();
            short j = in.getShort();
            assertThat(i).isBetween((short) -81, (short) 81);
            assertThat(j).isBetween((short) -81, (short) 81);
            seen.add(i * 1_000 + j);
        }
        assertThat(in.hasRemaining()).isFalse();
        assertThat(seen).hasSize(TILING.slots());
    }
}
