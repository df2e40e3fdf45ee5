package io.thalweg.model.row;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.model.bytes.Bytes;
import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureForm;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the rows of keyed views and of tables. Whole numbers above 2^53 and infinite sums are text, absent values
 * {@code null}.
 */
public final class KeyedRowJson implements RowJson {
    private final FeatureView view;
    private final RowJsonParser parser;
    private final KeyCodec keys;
    private final KeyedValues values;
    private final byte[][] entityNames;
    private final byte[][] featureNames;
    private final Bytes line = new Bytes(1024);

    /** Creates a writer and reader of this view's rows. */
    public KeyedRowJson(FeatureView view) {
        this.view = view;
        this.parser = new RowJsonParser(view);
        this.keys = new KeyCodec(view);
        this.values = new KeyedValues(view);
        this.entityNames = names(view.entities().stream().map(Entity::name).toList());
        this.featureNames = names(view.featureNames());
    }

    private static byte[][] names(List<String> names) {
        return names.stream().map(KeyedRowJson::quoted).toArray(byte[][]::new);
    }

    private static byte[] quoted(String name) {
        Bytes out = new Bytes(32);
        JsonText.string(name, out);
        return out.u8(':').copy();
    }

    @Override
    public void write(RowBlock block, int row, ByteArrayOutputStream out) {
        append((KeyedRowBlock) block, row, null);
        out.write(line.array(), 0, line.size());
    }

    @Override
    public byte[] value(RowBlock block, int row, long createdMs) {
        append((KeyedRowBlock) block, row, Instant.ofEpochMilli(createdMs));
        return line.copy();
    }

    @Override
    public byte[] key(RowBlock rows, int row) {
        KeyedRowBlock block = (KeyedRowBlock) rows;
        Bytes out = new Bytes(96);
        out.u8('[');
        JsonText.string(block.view(), out);
        for (Object value : block.key(keys, row)) {
            out.u8(',');
            JsonText.value(value, out);
        }
        return out.u8(']').copy();
    }

    /** {@code ["campaign_views",{"block":17,"from":["c17"]}]}: the shard and the first key. */
    @Override
    public byte[] blockKey(RowBlock rows) {
        KeyedRowBlock block = (KeyedRowBlock) rows;
        Bytes out = new Bytes(96);
        out.u8('[');
        JsonText.string(block.view(), out);
        out.ascii(",{\"block\":" + block.shard() + ",\"from\":[");
        String separator = "";
        for (Object value : block.rows() == 0 ? List.of() : block.key(keys, 0)) {
            out.ascii(separator);
            JsonText.value(value, out);
            separator = ",";
        }
        return out.ascii("]}]").copy();
    }

    private void append(KeyedRowBlock block, int row, @Nullable Instant created) {
        if (!block.view().equals(view.qualifiedName())) {
            throw new IllegalArgumentException(
                    "the block must be of view " + view.qualifiedName() + ", was " + block.view());
        }
        line.clear();
        line.ascii("{\"view\":");
        JsonText.string(block.view(), line);
        List<Object> key = block.key(keys, row);
        for (int i = 0; i < entityNames.length; i++) {
            line.u8(',').raw(entityNames[i]);
            JsonText.value(key.get(i), line);
        }
        line.ascii(",\"window_end\":\"" + Instant.ofEpochMilli(block.windowEndMs()));
        line.ascii("\",\"finality\":\"" + block.finality().name() + '"');
        if (block.finality() == Finality.PARTIAL) {
            line.ascii(",\"sequence\":");
            JsonText.value(block.sequence(), line);
        }
        if (created != null) {
            line.ascii(",\"created\":\"" + created + '"');
        }
        line.ascii(",\"features\":{");
        for (int feature = 0, at = row * featureNames.length; feature < featureNames.length; feature++, at++) {
            if (feature > 0) {
                line.u8(',');
            }
            line.raw(featureNames[feature]);
            values.json(feature, block, at, line);
        }
        line.ascii("}}");
    }

    @Override
    public ParsedRow parse(byte[] bytes) {
        JsonNode row = RowJsonParser.object(bytes);
        parser.checkView(row);
        return parsed(row);
    }

    @Override
    public KeyedRowBlock decodeBlock(byte[] bytes) {
        JsonNode json = RowJsonParser.object(bytes);
        parser.checkView(json);
        Set<String> features = new LinkedHashSet<>();
        json.path("features").fieldNames().forEachRemaining(features::add);
        parser.requireFeatures(features);
        ParsedRow row = parsed(json);
        List<Object> key = List.copyOf(row.entities().values());
        KeyColumns keyColumns = KeyColumns.ofOne(keys, key);
        ValueColumns columns = ValueColumns.ofNumbers(features.size());
        int feature = 0;
        for (Number value : row.features().values()) {
            columns.nulls()[feature] = value == null;
            if (value != null) {
                values.words(value, columns.high(), columns.low(), feature);
            }
            feature++;
        }
        return new KeyedRowBlock(head(row), keyColumns, columns);
    }

    private static BlockHead head(ParsedRow row) {
        return new BlockHead(row.view(), 0, new RowOrder(row.windowEndMs(), row.finality(), row.sequence()));
    }

    private ParsedRow parsed(JsonNode row) {
        Finality finality = RowJsonParser.finality(row);
        Map<String, @Nullable Number> features = new LinkedHashMap<>();
        JsonNode given = row.path("features");
        if (!given.isObject()) {
            throw RowJsonParser.wrong("features", "an object", row);
        }
        List<String> names = view.featureNames();
        for (int feature = 0; feature < names.size(); feature++) {
            features.put(names.get(feature), feature(feature, names.get(feature), given));
        }
        return new ParsedRow(
                view.qualifiedName(),
                parser.entities(row),
                RowJsonParser.instant(row, "window_end"),
                finality,
                finality == Finality.FINAL ? 0 : RowJsonParser.sequence(row),
                features);
    }

    private @Nullable Number feature(int feature, String name, JsonNode given) {
        JsonNode value = given.path(name);
        if (value.isNull() && values.isNullable(feature)) {
            return null;
        }
        Number number = values.parsed(feature, value);
        if (number == null) {
            String rule = values.form(feature) == FeatureForm.DOUBLE ? "a number" : "a whole number";
            throw RowJsonParser.wrong(name, rule + (values.isNullable(feature) ? " or null" : ""), given);
        }
        return number;
    }
}
