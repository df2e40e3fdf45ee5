package io.thalweg.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.Online;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.view.ValueType;
import io.thalweg.model.yaml.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionsTest {
    private static final String HEAD = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: v
            source: {topic: t}
            entities: [{name: cell, h3: {cell: c}}]
            measure: {count: all}
            rings: [0]
            windows: {sizes: [1m], every: 1m}
            """;

    @Test
    void load_examplesFolder_readsBothViews() {
        assertThat(Definitions.load(List.of(Views.EXAMPLES)).views())
                .extracting(FeatureView::qualifiedName)
                .contains("demand", "supply");
    }

    @Test
    void parse_nothingOptional_takesTheDefaults() {
        FeatureView view = one(HEAD);
        assertThat(view.source())
                .isEqualTo(new Source(
                        List.of("t"),
                        "default",
                        new Source.Start(Source.Start.Kind.LOOKBACK, null),
                        Source.Format.JSON,
                        new Source.EventTime(null, Source.TimeUnit.MS),
                        DurationText.parse("10s"),
                        DurationText.parse("30s"),
                        DurationText.parse("1m"),
                        Source.Numbers.STRICT));
        assertThat(view.version()).isEqualTo(1);
        assertThat(view.cell().resolution()).isEqualTo(9);
        assertThat(view.deadLetterTopic()).isEqualTo("t-dead");
        assertThat(view.failOnBadEvent()).isFalse();
        assertThat(view.sink()).isNull();
        assertThat(view.online()).isEqualTo(new Online(DurationText.parse("10m"), null));
        assertThat(one(HEAD + "sink: {topic: o}\n").sink())
                .isEqualTo(new SinkSpec("o", "default", SinkSpec.Format.PACKED, SinkSpec.Delivery.AT_LEAST_ONCE));
    }

    @Test
    void parse_where_comparesTyped() {
        FeatureView view = one(
                HEAD
                        + "where: {a: NO, b: ['1', 1, 1.0, 0x10, true, null], c: {gte: 0, lt: 5.5}, d: {not: [US, ~]}, e: {exists: false}}\n");
        assertThat(view.where())
                .containsExactly(
                        new Condition.In(FieldPath.parse("a"), List.of("NO")),
                        new Condition.In(FieldPath.parse("b"), Arrays.asList("1", 1L, 1.0, 16L, true, null)),
                        new Condition.Range(FieldPath.parse("c"), null, 0L, 5.5, null),
                        new Condition.NotIn(FieldPath.parse("d"), Arrays.asList("US", null)),
                        new Condition.Exists(FieldPath.parse("e"), false));
    }

    @Test
    void parse_recordFields_areAllowed() {
        FeatureView view = one(HEAD.replace("{count: all}", "{count_distinct: $headers.user}") + "where: {$key: a}\n");
        assertThat(view.measure())
                .isEqualTo(new Measure.CountDistinct(FieldPath.parse("$headers.user"), ValueType.STRING));
    }

    @Test
    void load_sourceOfAnotherFile_isFound(@TempDir Path folder) throws IOException {
        Path view = Files.writeString(folder.resolve("a.yaml"), HEAD.replace("{topic: t}", "riders"));
        Path source = Files.writeString(
                folder.resolve("b.yaml"), "apiVersion: thalweg/v1\nkind: Source\nname: riders\ntopic: [x, y]\n");
        Definitions.Loaded loaded = Definitions.load(List.of(view, source));
        assertThat(loaded.views().get(0).source()).isEqualTo(loaded.sources().get("riders"));
        assertThat(loaded.views().get(0).deadLetterTopic()).isEqualTo("x-dead");
    }

    @Test
    void load_severalBrokenFiles_namesThemAll(@TempDir Path folder) throws IOException {
        Path missing = folder.resolve("missing.yaml");
        Path broken = Files.writeString(folder.resolve("b.yaml"), HEAD.replace("rings: [0]", "rings: [x]"));
        Path latin = Files.write(folder.resolve("c.yaml"), new byte[] {(byte) 0xE9});
        assertThatThrownBy(() -> Definitions.load(List.of(missing, broken, latin)))
                .hasMessage(
                        missing + ": cannot be read: no such file\n" + latin + ": cannot be read: it must be UTF-8\n"
                                + broken + ":7: rings[0]: must be a whole number from 0 to 60, was 'x'");
    }

    @Test
    void parse_aliasThatHoldsItself_isRefusedNotFollowed() {
        assertThatThrownBy(() -> one("apiVersion: thalweg/v1\nkind: FeatureView\nname: &a [*a]\n"))
                .isInstanceOf(DefinitionException.class);
    }

    @Test
    void parse_whereWithHalfOfASurrogatePair_isRefused() {
        assertThatThrownBy(() -> one(HEAD + "where: {a: [x, \"\\ud83d\"]}\n"))
                .hasMessageContaining("where.a[1]: must be valid Unicode text");
        assertThat(one(HEAD + "where: {a: \"\\U0001f600\"}\n").where())
                .containsExactly(new Condition.In(FieldPath.parse("a"), List.of("😀")));
    }

    private static FeatureView one(String yaml) {
        return Definitions.parse(yaml, "t.yaml").views().get(0);
    }
}
