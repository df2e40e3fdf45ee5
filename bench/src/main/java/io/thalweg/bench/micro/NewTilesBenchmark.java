package io.thalweg.bench.micro;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TileFeatures;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What does the first event of a tile cost, for 1,000 tiles anywhere on earth, as a process meets them after each start?
 * Run: {@code ./thalweg bench micro NewTiles}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(jvmArgsAppend = "-Xmx1g")
public class NewTilesBenchmark {
    private static final int TILES = 1000;

    /** The largest ring. */
    @Param({"3", "20"})
    public int ring;

    private final HexTiling tiling = HexTiling.of(9);
    private final long[] cells = cells();

    private long[] cells() {
        Random random = new Random(1);
        long[] anywhere = new long[TILES];
        Arrays.setAll(anywhere, n -> {
            double latDeg = Math.toDegrees(Math.asin(random.nextDouble(-1, 1)));
            return tiling.cell(latDeg, random.nextDouble(-180, 180));
        });
        return anywhere;
    }

    /** One tile. The features of a process that has just started are created once for all tiles. */
    @Benchmark
    @OperationsPerInvocation(TILES)
    public long first() {
        TileFeatures features = new TileFeatures(tiling, new int[] {0, ring}, new int[] {1});
        long places = 0;
        for (long cell : cells) {
            places += features.place(tiling.tile(cell), cell);
        }
        return places;
    }
}
