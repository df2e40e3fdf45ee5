package io.thalweg.bench.micro;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.devkit.CityConfig;
import io.thalweg.devkit.CitySimulator;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.ViewReader;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does it cost to read the six fields of the demand view from one JSON event of some 820 bytes: with code written for these
 * fields and Jackson's streaming parser ({@code streaming}), with the decoder's own use of that parser, which checks the whole
 * event ({@code parser}: where it does not take a shortcut), and with the decoder ({@code scanner})? And what does it cost to
 * judge the event afterwards?
 *
 * <p>The 8,192 events are of the simulator, of 8,192 moments and some 30,000 riders, so hardly any value repeats. They are from
 * one version of an app, or from eight, each of which writes the fields in its own order. They are decoded in blocks of 1,024.
 * Values and kinds are compared before anything is measured. Run: {@code ./thalweg bench micro JsonDecoding}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgsAppend = "-Xmx1g")
public class JsonDecodingBenchmark {
    private static final int EVENTS = 8_192;
    private static final int BLOCK = 1_024;
    private static final long FROM_MS = 1_767_290_400_000L;
    /** Writes numbers with the digits that it read. */
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /**
     * The number of versions of the app that writes the events. Each version has the same fields in its own order; any may write
     * the next event.
     */
    @Param({"1", "8"})
    public int versions;

    private List<byte[]> events = List.of();
    private EventBlocks blocks = new EventBlocks(events, BLOCK);

    private final FeatureView view = view();
    private final Projection projection = Projection.of(List.of(view));
    private final EventColumns columns = new EventColumns(projection);
    private final EventDecoder scanner = EventDecoder.create(projection);
    private final EventDecoder parser = EventDecoder.createParsing(projection);
    private final List<EventColumns> decoded = new ArrayList<>();
    private final ViewReader reader = ViewReader.of(view, projection);

    private final JsonFactory json = new JsonFactory();
    private final String[] names = projection.paths().stream()
            .map(path -> path.segments().get(0).intern())
            .toArray(String[]::new);
    private final FieldKind[] kinds = new FieldKind[BLOCK * names.length];
    private final String[] texts = new String[BLOCK * names.length];
    private final long[] longs = new long[BLOCK * names.length];
    private final double[] doubles = new double[BLOCK * names.length];

    private static FeatureView view() {
        return Definitions.load(List.of(Path.of("examples", "demand.yaml")))
                .views()
                .get(0);
    }

    private static List<byte[]> events(int versions) throws IOException {
        List<byte[]> drawn = new ArrayList<>();
        CityConfig city = CityConfig.defaults();
        for (long ms = FROM_MS; drawn.size() < EVENTS; ms += CitySimulator.TICK_MS) {
            new CitySimulator(city).riderEvents(ms, ms + CitySimulator.TICK_MS, (time, id, json) -> drawn.add(json));
        }
        Random random = new Random(1);
        List<byte[]> events = new ArrayList<>();
        for (byte[] event : drawn.subList(0, EVENTS)) {
            int version = random.nextInt(versions);
            events.add(version == 0 ? event : shuffled(event, version));
        }
        return events;
    }

    /** Returns the same event with its fields in the order of another version, each as long as before. */
    private static byte[] shuffled(byte[] event, int version) throws IOException {
        List<Map.Entry<String, JsonNode>> fields =
                new ArrayList<>(MAPPER.readTree(event).properties());
        Collections.shuffle(fields, new Random(version));
        ObjectNode other = MAPPER.createObjectNode();
        fields.forEach(field -> other.set(field.getKey(), field.getValue()));
        return MAPPER.writeValueAsBytes(other);
    }

    /** Decodes all events once in each way and compares. */
    @Setup
    public void setup() throws IOException {
        events = events(versions);
        blocks = new EventBlocks(events, BLOCK);
        for (int from = 0; from < EVENTS; from += BLOCK) {
            EventColumns block = new EventColumns(projection);
            blocks.decode(parser, from, block);
            blocks.decode(scanner, from, columns);
            stream(from);
            for (int e = 0; e < BLOCK; e++) {
                for (int c = 0; c < names.length; c++) {
                    check(show(block, e, c), show(columns, e, c));
                    check(show(block, e, c), showStreamed(e * names.length + c));
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

    private String showStreamed(int at) {
        return switch (kinds[at]) {
            case STRING -> "STRING " + texts[at];
            case INTEGER -> "INTEGER " + longs[at];
            case DOUBLE -> "DOUBLE " + doubles[at];
            default -> kinds[at].name();
        };
    }

    /** The code that a team would write by hand for these fields, with Jackson's streaming parser; it stops at the last of them. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object streaming() throws IOException {
        for (int from = 0; from < EVENTS; from += BLOCK) {
            stream(from);
        }
        return texts;
    }

    private void stream(int from) throws IOException {
        Arrays.fill(kinds, FieldKind.MISSING);
        for (int e = 0; e < BLOCK; e++) {
            try (JsonParser event = json.createParser(events.get(from + e))) {
                JsonToken token = event.nextToken();
                for (int left = names.length; left > 0 && event.nextToken() == JsonToken.FIELD_NAME; ) {
                    int column = columnOf(event.currentName());
                    token = event.nextToken();
                    if (column < 0) {
                        event.skipChildren();
                    } else {
                        keep(event, token, e * names.length + column);
                        left--;
                    }
                }
            }
        }
    }

    /** Compares references, because both the parser's names and ours are interned. */
    @SuppressWarnings("ReferenceEquality")
    private int columnOf(String name) {
        for (int column = 0; column < names.length; column++) {
            if (names[column] == name) {
                return column;
            }
        }
        return -1;
    }

    private void keep(JsonParser event, JsonToken token, int at) throws IOException {
        switch (token) {
            case VALUE_STRING -> {
                kinds[at] = FieldKind.STRING;
                texts[at] = event.getText();
            }
            case VALUE_NUMBER_INT -> {
                kinds[at] = FieldKind.INTEGER;
                longs[at] = event.getLongValue();
            }
            case VALUE_NUMBER_FLOAT -> {
                kinds[at] = FieldKind.DOUBLE;
                doubles[at] = event.getDoubleValue();
            }
            default -> kinds[at] = FieldKind.OTHER;
        }
    }

    /** The full parser, for every event. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object parser() {
        return blocks.decode(parser, columns);
    }

    /** The decoder as in production. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public Object scanner() {
        return blocks.decode(scanner, columns);
    }

    /** Judges decoded events: their outcome, cell, group and identity. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public long judge() {
        long sum = 0;
        for (EventColumns block : decoded) {
            for (int e = 0; e < BLOCK; e++) {
                if (reader.judge(block, e, FROM_MS, FROM_MS - 60_000) == EventOutcome.ACCEPTED) {
                    sum += reader.cell() + reader.groupIndex() + reader.idHi() + reader.idLo();
                }
            }
        }
        return sum;
    }

    /**
     * Events that are decoded in blocks, as by the reader of a topic.
     *
     * @param size events in a block
     */
    record EventBlocks(List<byte[]> events, int size) {
        /** Decodes all blocks, each into the same columns; returns the columns with the last block. */
        public EventColumns decode(EventDecoder decoder, EventColumns into) {
            for (int from = 0; from < events.size(); from += size) {
                decode(decoder, from, into);
            }
            return into;
        }

        /** Decodes the block that begins with an event. */
        public void decode(EventDecoder decoder, int from, EventColumns into) {
            into.clear();
            for (int e = from; e < from + size; e++) {
                byte[] event = events.get(e);
                decoder.decode(event, 0, event.length, 0, e, into);
            }
        }
    }
}
