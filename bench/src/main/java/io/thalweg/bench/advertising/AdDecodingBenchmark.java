package io.thalweg.bench.advertising;

import io.thalweg.bench.harness.Folders;
import io.thalweg.bench.micro.EventBlocks;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.formats.view.Outcome;
import io.thalweg.formats.view.ViewReader;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does it cost to read a JSON event of the advertising benchmark, of some 240 bytes: only its three wanted fields, with the
 * full parser ({@code parser}) and with the decoder ({@code scanner}), with the campaign looked up ({@code joined}), and to judge
 * the decoded event?
 *
 * <p>The 16,384 events of a hundred campaigns are decoded in blocks of 1,024. The results are compared with the recount before
 * anything is measured. Run: {@code ./thalweg bench micro AdDecoding}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = "-Xmx1g")
public class AdDecodingBenchmark {
    private static final int EVENTS = 16_384;
    private static final int BLOCK = 1_024;

    private final AdLoad load = AdLoad.of(100, EVENTS);
    private final List<byte[]> events = events(load);
    private final EventBlocks blocks = new EventBlocks(events, BLOCK);
    private final Ground ground = Ground.of(load);
    private final Projection projection = Projection.of(List.of(ground.view));
    private final EventDecoder parser = EventDecoder.createParsing(projection);
    private final EventDecoder scanner = EventDecoder.create(projection);
    private final EventDecoder joined = ground.tables.joined(EventDecoder.create(projection), projection);
    private final EventColumns columns = new EventColumns(projection);
    private final List<EventColumns> decoded = IntStream.range(0, EVENTS / BLOCK)
            .mapToObj(block -> new EventColumns(projection))
            .toList();
    private final ViewReader reader = ViewReader.of(ground.view, projection);

    /** The view and its open table. */
    private record Ground(Path folder, FeatureView view, LookupTables tables) {
        static Ground of(AdLoad load) {
            try {
                Path folder = Files.createTempDirectory("thalweg-ads-");
                Path ads = AdTable.write(folder, load);
                FeatureView view = ThalwegDrain.view("ad-events", ads, load.campaignOfAd().length, "campaign-views");
                LookupSources files = LookupSources.files();
                return new Ground(
                        folder, view, LookupTables.open("ad-decoding", List.of(view), files, Clock.systemUTC()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static List<byte[]> events(AdLoad load) {
        AdJson json = new AdJson(load);
        return IntStream.range(0, EVENTS).mapToObj(json::event).toList();
    }

    /** Decodes all events once and compares the counts. */
    @Setup
    public void setup() {
        for (int block = 0; block < decoded.size(); block++) {
            blocks.decode(joined, block * BLOCK, decoded.get(block));
        }
        long views = IntStream.range(0, EVENTS)
                .filter(event -> AdLoad.type(AdLoad.draw(event)) == AdLoad.VIEW)
                .count();
        if (accepted() != views || reader.groupCount() != load.campaigns()) {
            throw new IllegalStateException("expected %d views of %d campaigns, was %d of %d"
                    .formatted(views, load.campaigns(), accepted(), reader.groupCount()));
        }
    }

    /** Closes the table and deletes it. */
    @TearDown
    public void tearDown() throws IOException {
        ground.tables.close();
        Folders.delete(ground.folder);
    }

    /** The full parser, for every event. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object parser() {
        return blocks.decode(parser, columns);
    }

    /** The decoder as in production, without the lookup. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object scanner() {
        return blocks.decode(scanner, columns);
    }

    /** The decoder as in production. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object joined() {
        return blocks.decode(joined, columns);
    }

    /** Judges decoded events: their outcome and campaign. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public long judge() {
        return accepted();
    }

    private long accepted() {
        long accepted = 0;
        for (EventColumns block : decoded) {
            for (int e = 0; e < BLOCK; e++) {
                accepted +=
                        reader.judge(block, e, AdLoad.START_MS, AdLoad.START_MS - 10_000) == Outcome.ACCEPTED ? 1 : 0;
            }
        }
        return accepted;
    }
}
