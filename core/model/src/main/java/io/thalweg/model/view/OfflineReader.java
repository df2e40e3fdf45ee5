package io.thalweg.model.view;

import io.thalweg.model.source.SourceReader;
import io.thalweg.model.view.OfflineSpec.Format;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import org.jspecify.annotations.Nullable;

/** Reads {@code offline} of a view. */
final class OfflineReader {
    private OfflineReader() {}

    /** Reads the value of {@code offline}; null for {@code false}. */
    static @Nullable OfflineSpec read(YamlValue value, FeatureView view) {
        OfflineSpec standard = OfflineSpec.standard(view.qualifiedName());
        if (!value.isMap()) {
            return value.bool() ? standard : null;
        }
        YamlMap map = value.map();
        OfflineSpec read = new OfflineSpec(
                map.optional("iceberg").map(YamlValue::tableName).orElse(standard.table()),
                map.optional("catalog").map(SourceReader::cluster).orElse(standard.catalog()),
                map.optional("format").map(format -> format(format, view)).orElse(standard.format()),
                map.optional("keep").map(keep -> keep(keep, view)).orElse(null),
                map.optional("compact").map(YamlValue::bool).orElse(standard.compacts()));
        map.close();
        return read;
    }

    private static Format format(YamlValue value, FeatureView view) {
        Format format = value.oneOf(Format.class);
        if (format == Format.COLUMNS && view.isTable()) {
            value.problem(
                    "the feature log of a materialization is packed; other engines read the columns of the table itself");
        }
        return format;
    }

    /** Reads how long rows are kept; whole hours are removed. */
    private static DurationText keep(YamlValue value, FeatureView view) {
        DurationText keep = value.positiveDuration();
        long least = Math.max(3_600_000, view.online().ttl().millis());
        if (keep.millis() < least) {
            value.wrong("a duration of at least 1h and of online.ttl ("
                    + view.online().ttl().text() + ")");
        }
        return keep;
    }
}
