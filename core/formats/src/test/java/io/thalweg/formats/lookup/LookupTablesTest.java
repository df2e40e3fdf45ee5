package io.thalweg.formats.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventConditions;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.formats.file.TypedFiles;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.ViewReader;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Lookup;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The effect of lookups on the views that name them. */
class LookupTablesTest {
    private static final String ADS =
            "lookup: [{table: {file: ads.csv}, key: ad_id, fields: [campaign_id], on_miss: drop}]";
    private static final String BY_CAMPAIGN = "entities: [{name: campaign, field: campaign_id}]";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void writeTables() throws IOException {
        Files.writeString(folder.resolve("ads.csv"), "ad_id,campaign_id\na1,c1\na2,c2\na3,c3\n");
        Files.writeString(folder.resolve("campaigns.jsonl"), """
                {"id":"c1","advertiser":7,"billed":true}
                {"id":"c2","advertiser":null,"billed":false}
                """);
    }

    private FeatureView view(String name, String keys) {
        return Definitions.parse(
                        """
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: %s
                        source: {topic: ad-events, event_time: {field: ts}}
                        measures: [{name: views, count: all}]
                        windows: {sizes: [1m], every: 1m}
                        %s
                        """.formatted(name, keys), folder.resolve("views.yaml").toString())
                .views()
                .get(0);
    }

    private LookupTables open(List<FeatureView> views) throws IOException {
        return LookupTables.open("test", views, LookupSources.files(), Clock.systemUTC());
    }

    /** Returns {@code view: outcome or key} for each event and view, in the order of the events. */
    private List<String> judged(List<FeatureView> views, String... events) throws IOException {
        List<String> judged = new ArrayList<>();
        byte[] lines = String.join("\n", events).getBytes(StandardCharsets.UTF_8);
        try (LookupTables tables = open(views)) {
            BatchReader.of(views, tables, TypedFiles.NONE).read(new ByteArrayInputStream(lines), "events", verdict -> {
                DeadLetter letter = verdict.deadLetter();
                judged.add(
                        verdict.outcome() == EventOutcome.ACCEPTED
                                ? String.valueOf(verdict.group())
                                : letter == null
                                        ? verdict.outcome().text()
                                        : letter.reason().text());
            });
        }
        return judged;
    }

    private static String event(String fields) {
        return "{\"ts\":1767290400000," + fields + "}";
    }

    @Test
    void judge_onMissDrop_skipsWhatHasNoRowWhateverElseIsWrong() throws IOException {
        FeatureView view = view("campaigns", ADS + "\nwhere: {kind: [view]}\n" + BY_CAMPAIGN);
        assertThat(judged(
                        List.of(view),
                        event("\"kind\":\"view\",\"ad_id\":\"a2\",\"campaign_id\":\"own\""),
                        event("\"kind\":\"click\",\"ad_id\":\"a2\""),
                        event("\"ad_id\":\"a2\""),
                        event("\"kind\":\"view\",\"ad_id\":\"zz\""),
                        event("\"ad_id\":\"zz\""),
                        event("\"kind\":\"view\""),
                        "{\"ts\":1767290400000,\"ad_id\":"))
                .containsExactly("[c2]", "skipped", "missing_field", "skipped", "skipped", "skipped", "undecodable");
    }

    /** Only for views that use the table, and that would count the event. */
    @Test
    void judge_keyThatIsNotUnicode_isBadRatherThanAMiss() throws IOException {
        FeatureView dropping = view("dropping", ADS + "\nwhere: {kind: [view]}\n" + BY_CAMPAIGN);
        FeatureView keeping = view(
                "keeping",
                ADS.replace(", on_miss: drop", "") + "\nwhere: {campaign_id: [null]}\n"
                        + "entities: [{name: kind, field: kind}]");
        FeatureView other = view("other", "entities: [{name: kind, field: kind}]");
        assertThat(judged(
                        List.of(dropping, keeping, other),
                        event("\"kind\":\"view\",\"ad_id\":\"\\ud83d\""),
                        event("\"kind\":\"click\",\"ad_id\":\"\\ud83d\"")))
                .containsExactly("invalid_text", "invalid_text", "[view]", "skipped", "invalid_text", "[click]");
    }

    @Test
    void judge_valueOfARowThatIsNotUnicode_isBad() throws IOException {
        Files.writeString(folder.resolve("ads.jsonl"), "{\"ad_id\":\"a1\",\"campaign_id\":\"\\ude00\"}\n");
        FeatureView view = view("campaigns", ADS.replace("ads.csv", "ads.jsonl, key: ad_id") + "\n" + BY_CAMPAIGN);
        assertThat(judged(List.of(view), event("\"ad_id\":\"a1\""))).containsExactly("invalid_text");
    }

    @Test
    void judge_onMissNull_isAskedAsANullField() throws IOException {
        String ads = ADS.replace(", on_miss: drop", "");
        FeatureView keyed = view("keyed", ads + "\n" + BY_CAMPAIGN);
        FeatureView filtered =
                view("filtered", ads + "\nwhere: {campaign_id: [c1, null]}\nentities: [{name: ad, field: ad_id}]");
        assertThat(judged(List.of(keyed, filtered), event("\"ad_id\":\"a1\""), event("\"ad_id\":\"zz\"")))
                .containsExactly("[c1]", "[a1]", "missing_field", "[zz]");
    }

    /** The second table is looked up by a field of the first one; its values are typed. */
    @Test
    void judge_lookupByAFieldThatWasLookedUp_findsIt() throws IOException {
        FeatureView view = view("advertisers", """
                lookup:
                  - {table: {file: ads.csv}, key: ad_id, fields: [campaign_id], on_miss: drop}
                  - {table: {file: campaigns.jsonl, key: id}, key: campaign_id, fields: [advertiser, billed]}
                where: {billed: [true, null]}
                entities: [{name: advertiser, field: advertiser, type: int64}]
                """);
        assertThat(judged(
                        List.of(view), event("\"ad_id\":\"a1\""), event("\"ad_id\":\"a2\""), event("\"ad_id\":\"a3\"")))
                .containsExactly("[7]", "skipped", "missing_field");
    }

    @Test
    void judge_numberFromCsv_isTakenWhereOneIsNeeded() throws IOException {
        Files.writeString(folder.resolve("ads.csv"), "ad_id,campaign_id\n1,17\n2,c2\n");
        FeatureView view = view("numbers", ADS + "\nentities: [{name: campaign, field: campaign_id, type: int64}]");
        assertThat(judged(List.of(view), event("\"ad_id\":1"), event("\"ad_id\":\"1\""), event("\"ad_id\":2")))
                .containsExactly("[17]", "[17]", "wrong_type");
    }

    /** Each view resolves a name by its own lookups, and equal lookups of two views run once. */
    @Test
    void projection_viewsOfOneSource_shareLookupsAndKeepTheirNames() throws IOException {
        FeatureView looked = view("looked", ADS + "\n" + BY_CAMPAIGN);
        FeatureView alike = view("alike", ADS + "\n" + BY_CAMPAIGN);
        FeatureView own = view("own", BY_CAMPAIGN);
        FeatureView swapped = view(
                "swapped",
                "lookup: [{table: {file: ads.csv, key: campaign_id}, key: campaign_id, fields: [ad_id], on_miss: drop}]\n"
                        + "entities: [{name: ad, field: ad_id}]");
        List<FeatureView> views = List.of(looked, own, alike, swapped);
        Projection projection = Projection.of(views);
        assertThat(projection.paths()).hasSize(3);
        assertThat(projection.joins()).hasSize(2);
        assertThat(projection.size()).isEqualTo(5);
        assertThat(judged(views, event("\"ad_id\":\"a1\",\"campaign_id\":\"c3\"")))
                .containsExactly("[c1]", "[c3]", "[c1]", "[a3]");
    }

    @Test
    void joined_eventThatAllViewsSkipAnyway_isNotLookedUp() throws IOException {
        FeatureView views = view("views", ADS + "\nwhere: {kind: [view]}\n" + BY_CAMPAIGN);
        FeatureView clicks = view("clicks", ADS + "\nwhere: {kind: [click]}\n" + BY_CAMPAIGN);
        Lookup lookup = views.lookups().get(0);
        try (LookupTables tables = open(List.of(views, clicks))) {
            LookupTable table = Objects.requireNonNull(tables.all().get(lookup));
            decode(tables, Projection.of(List.of(views, clicks)), event("\"kind\":\"buy\",\"ad_id\":\"a1\""));
            assertThat(table.hits() + table.misses()).isZero();

            for (String kind : List.of("\"kind\":\"view\",", "\"kind\":\"click\",", "\"kind\":null,", "")) {
                decode(tables, Projection.of(List.of(views, clicks)), event(kind + "\"ad_id\":\"a1\""));
            }
            assertThat(table.hits()).isEqualTo(4);
        }
    }

    private static EventColumns decode(LookupTables tables, Projection projection, String event) {
        return decode(tables.joined(EventDecoder.create(projection), projection), projection, event);
    }

    private static EventColumns decode(EventDecoder decoder, Projection projection, String event) {
        EventColumns columns = new EventColumns(projection);
        byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
        decoder.decode(bytes, 0, bytes.length, 0, 0, columns);
        return columns;
    }

    /** Compares with a decoder that looks everything up: random views of one source, random events. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void judge_randomViews_sameAsIfEverythingWereLookedUp(long seed) throws IOException {
        Random random = new Random(seed);
        List<FeatureView> views = new ArrayList<>();
        for (int v = 0; v <= random.nextInt(3); v++) {
            views.add(view("v" + v, lookup(random) + where(random) + BY_CAMPAIGN));
        }
        Projection projection = Projection.of(views);
        try (LookupTables tables = open(views)) {
            EventDecoder own = tables.joined(EventDecoder.create(projection), projection);
            EventDecoder all = EventDecoder.create(projection);
            for (Projection.Join join : projection.joins()) {
                FieldKind miss = join.lookup().dropsMisses() ? FieldKind.MISSING : FieldKind.NULL;
                LookupTable table = Objects.requireNonNull(tables.all().get(join.lookup()));
                all = new LookupDecoder(
                        all,
                        EventConditions.of(Projection.of(projection.format(), projection.paths())),
                        List.of(new LookupDecoder.Join(table, join.key(), join.first(), miss)));
            }
            List<ViewReader> readers =
                    views.stream().map(view -> ViewReader.of(view, projection)).toList();
            for (int i = 0; i < 100; i++) {
                String event =
                        event("\"x\":1" + one(random, "", ",\"kind\":null", ",\"kind\":\"view\"", ",\"kind\":\"click\"")
                                + one(random, "", ",\"bid\":\"text\"", ",\"bid\":3", ",\"bid\":8.5")
                                + one(random, "", ",\"ad_id\":\"a1\"", ",\"ad_id\":\"a2\"", ",\"ad_id\":\"zz\""));
                EventColumns some = decode(own, projection, event);
                EventColumns every = decode(all, projection, event);
                for (ViewReader reader : readers) {
                    assertThat(judged(reader, some)).as(event).isEqualTo(judged(reader, every));
                }
            }
        }
    }

    private static String lookup(Random random) {
        return ADS.replace(", on_miss: drop", one(random, "", ", on_miss: drop")) + "\n";
    }

    private static String where(Random random) {
        List<String> conditions = new ArrayList<>();
        conditions.add(one(random, "", "kind: [view]", "kind: [view, null]", "kind: {not: [click]}"));
        conditions.add(one(random, "", "bid: {gt: 5}", "bid: {exists: true}"));
        conditions.add(one(random, "", "", "campaign_id: [c1, c3]", "campaign_id: [c2, null]"));
        conditions.removeIf(String::isEmpty);
        return conditions.isEmpty() ? "" : "where: {" + String.join(", ", conditions) + "}\n";
    }

    private static String one(Random random, String... of) {
        return of[random.nextInt(of.length)];
    }

    private static String judged(ViewReader reader, EventColumns event) {
        EventOutcome outcome = reader.judge(event, 0, 1_767_290_400_000L, 0);
        return switch (outcome) {
            case ACCEPTED -> "accepted " + reader.group();
            case SKIPPED -> "skipped";
            default -> reader.reason() + ": " + reader.detail();
        };
    }

    @Test
    void open_sameOwner_readsATableOnce() throws IOException {
        FeatureView view = view("campaigns", ADS + "\n" + BY_CAMPAIGN);
        Lookup lookup = view.lookups().get(0);
        LookupTables first = open(List.of(view));
        LookupTable table = Objects.requireNonNull(first.all().get(lookup));
        try (LookupTables second = open(List.of(view, view))) {
            assertThat(second.all().get(lookup)).isSameAs(table);
            first.close();
            first.close();
            try (LookupTables third = open(List.of(view))) {
                assertThat(third.all().get(lookup)).as("still open").isSameAs(table);
            }
        }
        try (LookupTables reopened = open(List.of(view))) {
            assertThat(reopened.all().get(lookup)).isNotSameAs(table);
        }
    }

    @Test
    void open_oneTableAway_namesItAndLeavesNoneOpen() throws IOException {
        FeatureView there = view("there", ADS + "\n" + BY_CAMPAIGN);
        FeatureView away = view("away", ADS.replace("ads.csv", "none.csv") + "\n" + BY_CAMPAIGN);
        assertThatThrownBy(() -> open(List.of(there, away)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(folder.resolve("none.csv") + " cannot be read");
        Files.delete(folder.resolve("ads.csv"));
        assertThatThrownBy(() -> open(List.of(there))).hasMessageContaining("ads.csv cannot be read");
    }

    @Test
    void of_viewWithLookupButNoTables_isRefused() {
        FeatureView view = view("campaigns", ADS + "\n" + BY_CAMPAIGN);
        assertThatThrownBy(() -> BatchReader.of(List.of(view))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LookupSources.files()
                        .of(view("r", ADS.replace("file: ads.csv", "redis: default, key: ads") + "\n" + BY_CAMPAIGN)
                                .lookups()
                                .get(0)))
                .hasMessageContaining("default ads");
    }
}
