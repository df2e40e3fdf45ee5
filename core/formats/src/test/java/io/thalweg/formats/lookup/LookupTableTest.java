package io.thalweg.formats.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventConditions;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.testing.FakeClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LookupTableTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Projection EVENT = Projection.of(Source.Format.JSON, paths("ad_id", "campaign_id", "bid"));
    private static final int[] COLUMNS = {1, 2};

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final FakeClock clock = new FakeClock(NOW);
    private long seconds;

    private static List<FieldPath> paths(String... names) {
        return Arrays.stream(names).map(FieldPath::parse).toList();
    }

    private LookupFile file(String name, String content) throws IOException {
        Path path = folder.resolve(name);
        Files.writeString(path, content);
        // Two versions within a second would look the same on file systems with a resolution of seconds.
        Files.setLastModifiedTime(path, FileTime.from(NOW.plusSeconds(seconds++)));
        Source.Format format = name.endsWith(".csv") ? Source.Format.CSV : Source.Format.JSON;
        return new LookupFile(path, format, FieldPath.parse("ad_id"), paths("campaign_id", "bid"));
    }

    private LookupTable open(LookupSource source) throws IOException {
        return LookupTable.open(source, 2, Duration.ofDays(1), 1_000, clock);
    }

    private static EventColumns decode(LookupTable table, FieldKind miss, String... events) {
        EventDecoder decoder = new LookupDecoder(
                EventDecoder.create(EVENT),
                EventConditions.of(EVENT),
                List.of(new LookupDecoder.Join(table, 0, 1, miss)));
        EventColumns columns = new EventColumns(EVENT);
        for (String event : events) {
            byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
            decoder.decode(bytes, 0, bytes.length, 0, 0, columns);
        }
        return columns;
    }

    @Test
    void joined_keyInTheTable_setsTheFieldsWhateverTheEventHolds() throws IOException {
        try (LookupTable table = open(file("ads.csv", "bid,ad_id,campaign_id\n0.5,a1,\"c,1\"\n,a2,c2\n"))) {
            EventColumns columns = decode(
                    table,
                    FieldKind.NULL,
                    "{\"ad_id\":\"a1\",\"campaign_id\":\"own\"}",
                    "{\"ad_id\":\"a2\",\"bid\":7}");

            assertThat(columns.string(0, 1)).isEqualTo("c,1");
            assertThat(columns.string(0, 2)).isEqualTo("0.5");
            assertThat(columns.string(1, 1)).isEqualTo("c2");
            assertThat(columns.kind(1, 2)).isEqualTo(FieldKind.NULL);
            assertThat(table.size()).isEqualTo(2);
            assertThat(table.hits()).isEqualTo(2);
            assertThat(table.misses()).isZero();
        }
    }

    @Test
    void joined_jsonTable_keepsTheKindsOfItsValues() throws IOException {
        String[] values = {"\"é\"", "17", "-9223372036854775809", "0.25", "true", "false", "null", "[1]"};
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < values.length; i++) {
            lines.append("{\"ad_id\":%d,\"bid\":%s}\n".formatted(i, values[i]));
        }
        try (LookupTable table = open(file("ads.jsonl", lines.toString()))) {
            for (int i = 0; i < values.length; i++) {
                EventColumns joined = decode(table, FieldKind.NULL, "{\"ad_id\":\"" + i + "\"}");
                EventColumns plain = new EventColumns(EVENT);
                byte[] own = "{\"bid\":%s}".formatted(values[i]).getBytes(StandardCharsets.UTF_8);
                EventDecoder.create(EVENT).decode(own, 0, own.length, 0, 0, plain);

                assertThat(joined.kind(0, 2)).isEqualTo(plain.kind(0, 2));
                assertThat(joined.shown(0, 2)).isEqualTo(plain.shown(0, 2));
                assertThat(joined.kind(0, 1)).isEqualTo(FieldKind.NULL);
                if (plain.kind(0, 2) == FieldKind.INTEGER || plain.kind(0, 2) == FieldKind.DOUBLE) {
                    assertThat(joined.number(0, 2)).isEqualTo(plain.number(0, 2));
                }
            }
        }
    }

    @Test
    void joined_noSuchKeyOrNone_isAMissOfTheKindAskedFor() throws IOException {
        String[] events = {
            "{\"ad_id\":\"zz\",\"bid\":1}", "{}", "{\"ad_id\":null}", "{\"ad_id\":{}}", "{\"ad_id\":true}"
        };
        try (LookupTable table = open(file("ads.csv", "ad_id,campaign_id,bid\na1,c1,1\n"))) {
            for (FieldKind miss : List.of(FieldKind.NULL, FieldKind.MISSING)) {
                EventColumns columns = decode(table, miss, events);
                for (int e = 0; e < events.length; e++) {
                    assertThat(columns.kind(e, 1)).isEqualTo(miss);
                    assertThat(columns.kind(e, 2)).isEqualTo(miss);
                }
            }
            assertThat(table.misses()).isEqualTo(2L * events.length);
            assertThat(table.hits()).isZero();
        }
    }

    @Test
    void joined_undecodableEvent_staysAsItIsAndIsNotCounted() throws IOException {
        try (LookupTable table = open(file("ads.csv", "ad_id,campaign_id,bid\na1,c1,1\n"))) {
            EventColumns columns = decode(table, FieldKind.NULL, "{\"ad_id\":\"a1\"");
            assertThat(columns.decodeReason(0)).isEqualTo(BadReason.UNDECODABLE);
            assertThat(columns.kind(0, 1)).isEqualTo(FieldKind.MISSING);
            assertThat(table.hits() + table.misses()).isZero();
        }
    }

    @Test
    void refresh_fileChanged_replacesAllRows() throws IOException {
        try (LookupTable table = open(file("ads.csv", "ad_id,campaign_id,bid\na1,c1,1\na2,c1,1\n"))) {
            clock.advance(Duration.ofMinutes(5));
            file("ads.csv", "ad_id,campaign_id,bid\na1,c9,1\n");
            table.refresh();
            EventColumns columns = decode(table, FieldKind.NULL, "{\"ad_id\":\"a1\"}", "{\"ad_id\":\"a2\"}");
            assertThat(columns.string(0, 1)).isEqualTo("c9");
            assertThat(columns.kind(1, 1)).isEqualTo(FieldKind.NULL);
            assertThat(table.readAt()).isEqualTo(NOW.plusSeconds(300));
        }
    }

    @Test
    void refresh_sourceAwayOrBroken_keepsTheLastGoodCopyAndComesBack() throws IOException {
        LookupFile source = file("ads.csv", "ad_id,campaign_id,bid\na1,c1,1\n");
        try (LookupTable table = open(source)) {
            clock.advance(Duration.ofMinutes(5));
            Files.delete(source.path());
            table.refresh();
            file("ads.csv", "ad_id,campaign_id\na1,c2\n");
            table.refresh();
            assertThat(table.failures()).isEqualTo(2);
            assertThat(table.readAt()).isEqualTo(NOW);
            assertThat(decode(table, FieldKind.NULL, "{\"ad_id\":\"a1\"}").string(0, 1))
                    .isEqualTo("c1");

            file("ads.csv", "ad_id,campaign_id,bid\na1,c3,1\n");
            table.refresh();
            assertThat(table.failures()).isEqualTo(2);
            assertThat(decode(table, FieldKind.NULL, "{\"ad_id\":\"a1\"}").string(0, 1))
                    .isEqualTo("c3");
        }
    }

    /** Counts how often it is read; has no version. */
    private static final class Counting implements LookupSource {
        private int readings;
        private @Nullable Object version;

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public void read(LookupRows into) throws IOException {
            readings++;
            into.add(new byte[] {'k'}, Arrays.asList(new byte[] {'v'}, null));
        }

        @Override
        public @Nullable Object version() {
            return version;
        }
    }

    @Test
    void refresh_sameVersion_isNotReadAgain() throws IOException {
        Counting source = new Counting();
        try (LookupTable table = open(source)) {
            table.refresh();
            assertThat(source.readings).as("without a version always").isEqualTo(2);
            source.version = 1;
            table.refresh();
            table.refresh();
            assertThat(source.readings).isEqualTo(3);
            EventColumns columns = decode(table, FieldKind.NULL, "{\"ad_id\":\"k\"}");
            assertThat(columns.string(0, 1)).isEqualTo("v");
            assertThat(columns.kind(0, 2)).isEqualTo(FieldKind.NULL);
        }
    }

    @Test
    void open_sourceAway_namesIt() {
        LookupFile none = new LookupFile(
                folder.resolve("none.csv"), Source.Format.CSV, FieldPath.parse("ad_id"), paths("campaign_id", "bid"));
        assertThatThrownBy(() -> open(none))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("none.csv cannot be read")
                .hasMessageContaining("no such file");
    }

    @Test
    void open_brokenFile_namesTheLineAndTheRule() throws IOException {
        LookupFile noColumn = file("a.csv", "ad_id,campaign_id\na1,c1\n");
        assertThatThrownBy(() -> open(noColumn)).hasMessageContaining("no column bid");
        LookupFile empty = file("b.csv", "");
        assertThatThrownBy(() -> open(empty)).hasMessageContaining("header");
        LookupFile cut = file("c.jsonl", "{\"ad_id\":\"a1\"}\n{\"ad_id\"\n");
        assertThatThrownBy(() -> open(cut)).hasMessageContaining("line 2: the message ends within the object");
        LookupFile noKey = file("d.jsonl", "{\"ad_id\":\"a1\"}\n\n{\"bid\":1}\n");
        assertThatThrownBy(() -> open(noKey)).hasMessageContaining("line 3: the key ad_id must be text or a number");
    }

    @Test
    void open_moreRowsThanAllowed_saysHowMany() throws IOException {
        LookupFile three = file("ads.csv", "ad_id,campaign_id,bid\na,1,1\nb,1,1\nc,1,1\n");
        LookupTable.open(three, 2, Duration.ofDays(1), 3, clock).close();
        assertThatThrownBy(() -> LookupTable.open(three, 2, Duration.ofDays(1), 2, clock))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("max_rows, 2");
    }

    @Test
    void constructor_fieldTwice_isRefused() {
        assertThatThrownBy(() ->
                        new LookupFile(Path.of("x"), Source.Format.CSV, FieldPath.parse("a"), paths("b", "\"b\"")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("b");
    }

    /** Compares with a map, using keys that share prefixes and repeat. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void find_randomTable_answersAsAMap(long seed) throws IOException {
        Random random = new Random(seed);
        LookupRows rows = new LookupRows(2, 10_000);
        Map<String, List<@Nullable String>> naive = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            String key = Integer.toString(random.nextInt(4_000), 2 + random.nextInt(3));
            List<@Nullable String> values = new ArrayList<>();
            for (int field = 0; field < 2; field++) {
                values.add(random.nextInt(5) == 0 ? null : "v".repeat(random.nextInt(4)) + i);
            }
            naive.put(key, values);
            rows.add(bytes(key), Arrays.asList(utf8(values.get(0)), utf8(values.get(1))));
        }

        assertThat(rows.size()).isEqualTo(naive.size());
        EventColumns columns = new EventColumns(EVENT);
        columns.append(new byte[0], 0, 0, 0, 0, 0);
        for (int i = 0; i < 5_000; i++) {
            String key = Integer.toString(random.nextInt(5_000), 2 + random.nextInt(3));
            byte[] padded = bytes("[" + key + "]");
            int row = rows.find(padded, 1, padded.length - 2);
            List<@Nullable String> expected = naive.get(key);
            assertThat(row >= 0).isEqualTo(expected != null);
            for (int field = 0; expected != null && field < 2; field++) {
                rows.copy(row, field, columns, COLUMNS[field]);
                String found =
                        columns.kind(0, COLUMNS[field]) == FieldKind.NULL ? null : columns.string(0, COLUMNS[field]);
                assertThat(found).isEqualTo(expected.get(field));
            }
        }
    }

    private static byte @Nullable [] utf8(@Nullable String text) {
        return text == null ? null : bytes(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
