package io.thalweg.formats;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.Computation;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.EventInput;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Measure;
import io.thalweg.model.view.Online;
import io.thalweg.model.view.ValueType;
import io.thalweg.model.view.Windows;
import io.thalweg.model.yaml.DurationText;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Views for tests: the demand view, and ways to change it. */
public final class Views {
    public static final String CELL = "892a1008003ffff";
    public static final String UUID_A = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";
    /** 2016-01-01T18:00:00Z. */
    public static final long T0 = 1_451_671_200_000L;

    public Source.Format format = Source.Format.JSON;
    Source.Numbers numbers = Source.Numbers.STRICT;

    @Nullable
    public String timeField = "ts";

    Source.TimeUnit unit = Source.TimeUnit.MS;

    @Nullable
    ZoneId zone;

    List<Condition> where = new ArrayList<>();
    public Entity.Cell cell = new Entity.Cell("cell", FieldPath.parse("lat"), FieldPath.parse("lng"), null, 9);
    public List<Entity.Field> group =
            new ArrayList<>(List.of(new Entity.Field("product", FieldPath.parse("product_id"), ValueType.UUID)));
    public Measure measure = new Measure.CountDistinct(FieldPath.parse("rider_id"), ValueType.UUID);

    public FeatureView build() {
        Source source = new Source(
                List.of("rider-events"),
                "default",
                new Source.Start(Source.Start.Kind.LOOKBACK, null),
                format,
                new Source.EventTime(timeField == null ? null : FieldPath.parse(timeField), unit, zone),
                DurationText.parse("10s"),
                DurationText.parse("30s"),
                DurationText.parse("1m"),
                numbers);
        List<Entity> entities = new ArrayList<>();
        entities.add(cell);
        entities.addAll(group);
        return new FeatureView(
                "demand",
                1,
                "",
                entities,
                new Computation.OfRings(
                        new EventInput(source, List.of(), where, "dead", false),
                        measure,
                        List.of(0),
                        new Windows(List.of(DurationText.parse("1m")), DurationText.parse("1m"))),
                null,
                new Online(DurationText.parse("10m"), null));
    }

    public Views where(Condition condition) {
        where.add(condition);
        return this;
    }

    /** Returns the projection of a view that names exactly these fields besides time and cell, for tests of decoders. */
    public static Projection projection(Source.Format format, String... fields) {
        Views views = new Views();
        views.format = format;
        views.timeField = null;
        views.cell = new Entity.Cell("cell", null, null, FieldPath.parse(fields[0]), 9);
        views.group.clear();
        for (String field : fields) {
            views.group.add(new Entity.Field(field, FieldPath.parse(field), ValueType.STRING));
        }
        views.measure = new Measure.Count();
        return Projection.of(List.of(views.build()));
    }
}
