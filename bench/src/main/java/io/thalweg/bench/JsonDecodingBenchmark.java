package io.thalweg.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.devkit.CityConfig;
import io.thalweg.devkit.CitySimulator;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.view.Outcome;
import io.thalweg.formats.view.ViewReader;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to read the six fields of the demand view out of one JSON event of some 820 bytes: with Jackson's tree
 * model, with Jackson's streaming parser ({@code parser}: what the decoder does where it takes no short cut) and with the
 * decoder ({@code scanner})? And what to judge the event then?
 *
 * <p>None of them is a streaming parser that is written for the six fields and stops at the last: that takes about as long as the
 * scanner.
 *
 * <p>The events are 8,192 of the simulator's, of 8,192 moments and some 30,000 riders: hardly a value comes again. They are
 * decoded in blocks of 1,024. Values and kinds are compared before anything is measured. Run:
 *
 * <pre>
 * ./mvnw -q -pl bench -am -DskipTests package
 * java -cp 'bench/target/lib/*:bench/target/classes' org.openjdk.jmh.Main JsonDecoding
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class JsonDecodingBenchmark {
    private static final int EVENTS = 8_192;
    private static final int BLOCK = 1_024;
    private static final long FROM_MS = 1_767_290_400_000L;

    private final FeatureView view = view();
    private final Projection projection = Projection.of(List.of(view));
    private final List<byte[]> events = events();
    private final EventColumns columns = new EventColumns(projection);
    private final EventDecoder scanner = EventDecoder.create(projection);
    private final EventDecoder parser = EventDecoder.createParsing(projection);
    private final List<EventColumns> decoded = new ArrayList<>();
    private final ViewReader reader = ViewReader.of(view, projection);

    private final ObjectMapper mapper = new ObjectMapper();
    private final String[] names =
            projection.paths().stream().map(path -> path.segments().get(0)).toArray(String[]::new);
    private final FieldKind[] treeKinds = new FieldKind[BLOCK * names.length];
    private final String[] treeTexts = new String[BLOCK * names.length];
    private final long[] treeLongs = new long[BLOCK * names.length];
    private final double[] treeDoubles = new double[BLOCK * names.length];

    private static FeatureView view() {
        return Definitions.load(List.of(Path.of("examples", "demand.yaml")))
                .views()
                .get(0);
    }

    private static List<byte[]> events() {
        List<byte[]> events = new ArrayList<>();
        CityConfig city = CityConfig.defaults();
        for (long ms = FROM_MS; events.size() < EVENTS; ms += CitySimulator.TICK_MS) {
            new CitySimulator(city).riderEvents(ms, ms + CitySimulator.TICK_MS, (time, id, json) -> events.add(json));
        }
        return List.copyOf(events.subList(0, EVENTS));
    }

    /** Decodes all events once in each way and compares. */
    @Setup
    public void setup() throws IOException {
        for (int from = 0; from < EVENTS; from += BLOCK) {
            EventColumns block = new EventColumns(projection);
            decode(parser, from, block);
            decode(scanner, from, columns);
            readTrees(from);
            for (int e = 0; e < BLOCK; e++) {
                for (int c = 0; c < names.length; c++) {
                    check(show(block, e, c), show(columns, e, c));
                    check(show(block, e, c), showTree(e * names.length + c));
                }
            }
            decoded.add(block);
        }
    }

    private static void check(String expected, String was) {
        if (!expected.equals(was)) {
            throw new IllegalStateException("expected %s, was %s".formatted(expected, was));
        }
    }

    private static String show(EventColumns events, int e, int c) {
        return switch (events.kind(e, c)) {
            case STRING -> "STRING " + events.string(e, c);
            case INTEGER -> "INTEGER " + events.integer(e, c);
            case DOUBLE -> "DOUBLE " + events.number(e, c);
            default -> events.kind(e, c).name();
        };
    }

    private String showTree(int at) {
        return switch (treeKinds[at]) {
            case STRING -> "STRING " + treeTexts[at];
            case INTEGER -> "INTEGER " + treeLongs[at];
            case DOUBLE -> "DOUBLE " + treeDoubles[at];
            default -> treeKinds[at].name();
        };
    }

    /** Jackson's tree of the event, then the wanted fields into columns. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object tree() throws IOException {
        for (int from = 0; from < EVENTS; from += BLOCK) {
            readTrees(from);
        }
        return treeTexts;
    }

    private void readTrees(int from) throws IOException {
        int at = 0;
        for (int e = from; e < from + BLOCK; e++) {
            JsonNode tree = mapper.readTree(events.get(e));
            for (String name : names) {
                keep(tree.get(name), at++);
            }
        }
    }

    private void keep(JsonNode value, int at) {
        if (value == null) {
            treeKinds[at] = FieldKind.MISSING;
        } else if (value.isTextual()) {
            treeKinds[at] = FieldKind.STRING;
            treeTexts[at] = value.textValue();
        } else if (value.canConvertToLong() && value.isIntegralNumber()) {
            treeKinds[at] = FieldKind.INTEGER;
            treeLongs[at] = value.longValue();
        } else if (value.isNumber()) {
            treeKinds[at] = FieldKind.DOUBLE;
            treeDoubles[at] = value.doubleValue();
        } else {
            treeKinds[at] = FieldKind.OTHER;
        }
    }

    /** The full parser, for every event. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object parser() {
        return decodeAll(parser);
    }

    /** The decoder as it is used. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object scanner() {
        return decodeAll(scanner);
    }

    private EventColumns decodeAll(EventDecoder decoder) {
        for (int from = 0; from < EVENTS; from += BLOCK) {
            decode(decoder, from, columns);
        }
        return columns;
    }

    private void decode(EventDecoder decoder, int from, EventColumns into) {
        into.clear();
        for (int e = from; e < from + BLOCK; e++) {
            byte[] event = events.get(e);
            decoder.decode(event, 0, event.length, 0, e, into);
        }
    }

    /** Outcome, cell, group and identity of decoded events. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public long judge() {
        long sum = 0;
        for (EventColumns block : decoded) {
            for (int e = 0; e < BLOCK; e++) {
                if (reader.judge(block, e, FROM_MS, FROM_MS - 60_000) == Outcome.ACCEPTED) {
                    sum += reader.cell() + reader.groupIndex() + reader.idHi() + reader.idLo();
                }
            }
        }
        return sum;
    }
}
