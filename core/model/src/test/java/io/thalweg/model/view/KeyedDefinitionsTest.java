package io.thalweg.model.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.model.Definitions;
import io.thalweg.model.KeyedViews;
import io.thalweg.model.Views;
import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.source.Source;
import io.thalweg.model.yaml.DurationText;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyedDefinitionsTest {
    @Test
    void load_campaignViews_isKeyed() {
        FeatureView view = KeyedViews.campaigns();
        assertThat(view.isKeyed()).isTrue();
        assertThatThrownBy(view::rings).hasMessage("view campaign_views has no rings");
        assertThat(view.early()).isEqualTo(DurationText.parse("1s"));
        assertThat(view.measures())
                .containsExactly(
                        new NamedMeasure("views", new Measure.Count(), List.of(), false),
                        new NamedMeasure(
                                "spend",
                                new Measure.OfNumbers(
                                        Measure.Function.SUM, FieldPath.parse("cost"), Measure.NumberType.DOUBLE),
                                List.of(new Condition.In(FieldPath.parse("billed"), List.of(true))),
                                false));
        assertThat(view.featureNames()).containsExactly("views_10s", "spend_10s");
        assertThat(Views.demand().isKeyed()).isFalse();
    }

    @Test
    void featureNames_unnamedMeasures_areMadeOfFunctionAndField() {
        assertThat(KeyedViews.everyMeasure().featureNames())
                .startsWith("count_1m", "count_5m", "count_1h", "distinct_payload_rider_id_1m")
                .contains(
                        "readers_5m", "sum_amount_1h", "turnover_1m", "min_amount_1m", "max_price_5m", "mean_price_1h")
                .hasSize(30);
    }

    @Test
    void plan_everyMeasure_sharesInputsAndFilters() {
        KeyedPlan plan = KeyedPlan.of(KeyedViews.everyMeasure());
        assertThat(plan.inputs())
                .containsExactly(
                        new KeyedPlan.Input(FieldPath.parse("payload.rider.id"), KeyedPlan.Kind.ID_UUID, 0),
                        new KeyedPlan.Input(FieldPath.parse("reader"), KeyedPlan.Kind.ID_STRING, 2),
                        new KeyedPlan.Input(FieldPath.parse("amount"), KeyedPlan.Kind.INT64, 4),
                        new KeyedPlan.Input(FieldPath.parse("price"), KeyedPlan.Kind.DOUBLE, 5));
        assertThat(plan.filters()).hasSize(2);
        assertThat(plan.spec().measures())
                .extracting(KeyedMeasure::filter)
                .containsExactly(0, 0, 1, 0, 0, 1, 2, 0, 0, 0);
        assertThat(plan.spec().measures())
                .extracting(KeyedMeasure::column)
                .containsExactly(0, 0, 2, 4, 5, 5, 5, 4, 5, 5);
        assertThat(plan.spec().windowPanes()).containsExactly(1, 5, 60);
        assertThat(plan.spec().early()).isFalse();
        assertThatThrownBy(() -> KeyedPlan.of(Views.demand())).hasMessage("view demand has no measures per key");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{name: a, field: a, type: int64}] | LONG",
                "[{name: a, field: a, type: bool}] | LONG",
                "[{name: a, field: a, type: uuid}] | PAIR",
                "[{name: a, field: a, type: bool}, {name: b, field: b, type: int64}] | PAIR",
                "[{name: a, field: a}] | BYTES",
                "[{name: a, field: a, type: uuid}, {name: b, field: b, type: bool}] | BYTES",
                "[{name: a, field: a, type: bool}, {name: b, field: b, type: bool}, {name: c, field: c, type: bool}] | BYTES",
            })
    void plan_entities_chooseTheFormOfKeys(String entities, KeyForm form) {
        assertThat(KeyedPlan.of(KeyedViews.withEntities(entities)).spec().keys())
                .isEqualTo(form);
    }

    @Test
    void plan_asManyConditionsAsMeasures_areFilters() {
        StringBuilder measures = new StringBuilder("measures:\n");
        for (int i = 0; i < NamedMeasureReader.MEASURES_MAX; i++) {
            measures.append("  - {name: m")
                    .append(i)
                    .append(", count: all, where: {kind: k")
                    .append(i)
                    .append("}}\n");
        }
        String text = KeyedViews.text("campaign_views.yaml");
        String before = text.substring(0, text.indexOf("measures:"));
        String after = text.substring(text.indexOf("windows:"));
        FeatureView view =
                Definitions.parse(before + measures + after, "t.yaml").views().get(0);
        assertThat(KeyedPlan.of(view).spec().filters()).isEqualTo(64);
    }

    /** Stored in checkpoints: a change of this text makes all jobs refuse their state. */
    @Test
    void fingerprint_campaignViews_isStable() {
        assertThat(ViewFingerprint.of(KeyedViews.campaigns())).isEqualTo("""
                        fingerprint=1
                        topics=["ad-events"]
                        kafka="default"
                        format=json
                        event_time="event_time" ms
                        where=["event_type" in ["view"]]
                        entities=[campaign: "campaign_id" string]
                        measure=[count all, sum "cost" double where ["billed" in [true]]]
                        every=10000ms
                        id_hash=murmur3-x64-128-seed-0
                        rings=
                        windows=10000""");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: spend | name: cost | true | NONE",
                "emit: {early: 1s} | '' | true | NONE",
                "sizes: [10s] | sizes: [10s, 20s] | true | RESTARTS_WARM_UP",
                "sum: cost | sum: price | false | NONE",
                "billed: true | billed: false | false | NONE",
                "campaign_id | other_id | false | NONE",
            })
    void fingerprint_changes_areJudged(String from, String to, boolean compatible, ViewFingerprint.Growth growth) {
        String text = KeyedViews.text("campaign_views.yaml");
        assertThat(text).contains(from);
        FeatureView now =
                Definitions.parse(text.replace(from, to), "t.yaml").views().get(0);
        String kept = ViewFingerprint.of(KeyedViews.campaigns());
        assertThat(ViewFingerprint.incompatibility(kept, now).isEmpty()).isEqualTo(compatible);
        assertThat(ViewFingerprint.growth(kept, now)).isEqualTo(growth);
    }

    private static FeatureView with(String lookup, String file) {
        String text = KeyedViews.text("campaign_views.yaml");
        return Definitions.parse(text.replace("\nwhere:", "\nlookup: [" + lookup + "]\nwhere:"), file)
                .views()
                .get(0);
    }

    @Test
    void lookup_formsAndDefaults_areRead() {
        FeatureView view = with(
                "{table: {file: ads.csv.gz}, key: ad_id, fields: [campaign_id]},"
                        + " {table: {file: /a/b.txt, format: json, key: x.id, refresh: 1m, max_rows: 5}, key: campaign_id, fields: [cost, billed], on_miss: drop},"
                        + " {table: {redis: default, key: \"u:{user}\"}, key: user_id, fields: [country], on_miss: null}",
                "some/where/views.yaml");
        FieldPath ad = FieldPath.parse("ad_id");
        Path csv = Path.of("some", "where", "ads.csv.gz").toAbsolutePath();
        DurationText fiveMinutes = DurationText.parse("5m");
        assertThat(view.lookups())
                .containsExactly(
                        new Lookup(
                                new Lookup.File(
                                        "ads.csv.gz", csv.toString(), Source.Format.CSV, ad, fiveMinutes, 10_000_000),
                                ad,
                                List.of(FieldPath.parse("campaign_id")),
                                false),
                        new Lookup(
                                new Lookup.File(
                                        "/a/b.txt",
                                        "/a/b.txt",
                                        Source.Format.JSON,
                                        FieldPath.parse("x.id"),
                                        DurationText.parse("1m"),
                                        5),
                                FieldPath.parse("campaign_id"),
                                List.of(FieldPath.parse("cost"), FieldPath.parse("billed")),
                                true),
                        new Lookup(
                                new Lookup.Redis("default", "u:{user}", fiveMinutes, 10_000_000),
                                FieldPath.parse("user_id"),
                                List.of(FieldPath.parse("country")),
                                false));
        assertThat(view.withoutEarly().lookups()).isEqualTo(view.lookups());
    }

    /** A table may move, but its key and the looked-up fields must not change. */
    @Test
    void fingerprint_lookups_areJudgedByWhatTheyMean() {
        String lookup = "{table: {file: ads.csv}, key: ad_id, fields: [campaign_id], on_miss: drop}";
        String kept = ViewFingerprint.of(with(lookup, "t.yaml"));
        assertThat(kept).contains("lookup=[\"ad_id\": \"campaign_id\" or drop]\n");
        for (String same : List.of("file: other.jsonl", "redis: default, key: ads", "file: ads.csv, refresh: 1s")) {
            assertThat(ViewFingerprint.incompatibility(kept, with(lookup.replace("file: ads.csv", same), "t.yaml")))
                    .isEmpty();
        }
        for (String other : List.of(
                lookup.replace("ad_id", "id"),
                lookup.replace(", on_miss: drop", ""),
                lookup.replace("[c", "[bid, c"))) {
            assertThat(ViewFingerprint.incompatibility(kept, with(other, "t.yaml")))
                    .isPresent();
        }
        assertThat(ViewFingerprint.incompatibility(kept, KeyedViews.campaigns()))
                .isPresent();
        assertThat(ViewFingerprint.incompatibility(ViewFingerprint.of(KeyedViews.campaigns()), with(lookup, "t.yaml")))
                .isPresent();
    }

    @Test
    void keyedOutcome_agesAndAbsence_areTold() {
        java.time.Duration ttl = java.time.Duration.ofMinutes(10);
        long now = 10_000_000;
        assertThat(ReadOutcome.keyed(now, now - 1_000, ttl, now - 5_000))
                .isEqualTo(new ReadOutcome(ReadStatus.PRESENT, now - 5_000));
        assertThat(ReadOutcome.keyed(now, now - 1_000, ttl, now - 700_000).status())
                .isEqualTo(ReadStatus.OUTSIDE_MAX_AGE);
        assertThat(ReadOutcome.keyed(now, now - 700_000, ttl, now - 5_000).status())
                .isEqualTo(ReadStatus.OUTSIDE_MAX_AGE);
        assertThat(ReadOutcome.keyed(now, now - 1_000, ttl, ReadOutcome.NONE).status())
                .isEqualTo(ReadStatus.NOT_FOUND);
        assertThat(ReadOutcome.keyed(now, ReadOutcome.NONE, ttl, now).status()).isEqualTo(ReadStatus.OUTSIDE_MAX_AGE);
    }
}
