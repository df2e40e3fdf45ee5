package io.thalweg.tables.iceberg;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.FieldType.Text;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;
import org.jspecify.annotations.Nullable;

/**
 * Determines the partition of a row with Iceberg's own transforms, and names the folders of partitions as Hive does.
 *
 * <p><b>Threads.</b> One.
 */
public final class Partitioner {
    /** Hive's name for the partition of rows without a value. */
    public static final String NO_VALUE = "__HIVE_DEFAULT_PARTITION__";

    /** File systems allow names of 255 bytes. */
    private static final int LONGEST_NAME = 200;

    private static final long DAY_MICROS = 86_400_000_000L;
    private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();
    private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();

    private final List<Key> keys = new ArrayList<>();

    /**
     * A part of the key of a partition.
     *
     * @param leaf the column's position in batches
     * @param name of its folders
     */
    private record Key(int leaf, Scalar type, PartitionRule rule, String name, Type source, Transform<Object, ?> by) {
        /** Whether a time or date is in the years 1 to 9999; always true for buckets and other types. */
        boolean isInRange(long value) {
            if (rule.kind() == PartitionRule.Kind.BUCKET) {
                return true;
            }
            if (type instanceof Timestamp) {
                long day = Math.floorDiv(value, DAY_MICROS);
                return day >= FIRST_DAY && day <= LAST_DAY;
            }
            return !(type instanceof Date) || (value >= FIRST_DAY && value <= LAST_DAY);
        }
    }

    Partitioner(Struct rows, List<PartitionRule> rules) {
        Schema schema = IcebergSchemas.of(rows);
        List<LeafColumn> leaves = new ColumnWriter(rows).take().leaves();
        for (PartitionRule rule : rules) {
            // One by one: Iceberg refuses a year and a month of one column together, but folders may have both.
            PartitionField field = spec(schema, List.of(rule)).fields().get(0);
            int leaf = leaf(leaves, rule.column());
            Type source = schema.findType(field.sourceId());
            keys.add(new Key(leaf, leaves.get(leaf).type(), rule, folderName(rule), source, transform(field)));
        }
    }

    @SuppressWarnings("unchecked") // values are made of the column's type
    private static Transform<Object, ?> transform(PartitionField field) {
        return (Transform<Object, ?>) field.transform();
    }

    private static String folderName(PartitionRule rule) {
        return rule.kind() == PartitionRule.Kind.VALUE
                ? rule.column()
                : rule.kind().name().toLowerCase(Locale.ROOT);
    }

    private static int leaf(List<LeafColumn> leaves, String column) {
        for (int i = 0; i < leaves.size(); i++) {
            if (String.join(".", leaves.get(i).path()).equals(column)) {
                return i;
            }
        }
        throw new IllegalArgumentException(column + " is not a column");
    }

    /**
     * Returns the partitions of a table whose columns have the ids of a schema.
     *
     * @throws SchemaException if a rule names no column, or an unsuitable one
     */
    static PartitionSpec spec(Schema schema, List<PartitionRule> rules) {
        PartitionSpec.Builder builder = PartitionSpec.builderFor(schema);
        for (PartitionRule rule : rules) {
            try {
                add(builder, rule);
            } catch (RuntimeException e) {
                throw new SchemaException("the table cannot be partitioned by " + rule + ": " + e.getMessage(), e);
            }
        }
        return builder.build();
    }

    private static void add(PartitionSpec.Builder builder, PartitionRule rule) {
        switch (rule.kind()) {
            case VALUE -> builder.identity(rule.column());
            case YEAR -> builder.year(rule.column());
            case MONTH -> builder.month(rule.column());
            case DAY -> builder.day(rule.column());
            case HOUR -> builder.hour(rule.column());
            case BUCKET -> builder.bucket(rule.column(), rule.buckets());
        }
    }

    /**
     * Requires that a table can be partitioned by these rules.
     *
     * @param folders whether partitions are folders, which must have different names
     * @throws SchemaException if not; the message names the rule
     */
    public static void require(Struct rows, List<PartitionRule> rules, boolean folders) {
        List<LeafColumn> leaves = new ColumnWriter(rows).take().leaves();
        for (PartitionRule rule : rules) {
            LeafColumn column = leaves.stream()
                    .filter(leaf -> leaf.maxRepetition() == 0
                            && String.join(".", leaf.path()).equals(rule.column()))
                    .findFirst()
                    .orElseThrow(() -> new SchemaException(
                            "the table cannot be partitioned by %s: '%s' is not a column with single values; there are: %s"
                                    .formatted(rule, rule.column(), String.join(", ", rows.names()))));
            requireSuits(rule, column.type());
            if (folders && rule.kind() != PartitionRule.Kind.VALUE && rows.indexOf(folderName(rule)) >= 0) {
                throw new SchemaException(
                        "the table cannot be partitioned by %s: its folders would be named as column '%s'; rename the column with 'fields'"
                                .formatted(rule, folderName(rule)));
            }
        }
        if (!folders) {
            PartitionSpec unused = spec(IcebergSchemas.of(rows), rules);
        } else if (rules.stream().map(Partitioner::folderName).distinct().count() < rules.size()) {
            throw new SchemaException("two of %s would have folders of the same name; keep one".formatted(rules));
        }
    }

    private static void requireSuits(PartitionRule rule, Scalar type) {
        boolean isCountable = type instanceof Text || type instanceof Symbols || type instanceof Int;
        boolean suits = switch (rule.kind()) {
            case VALUE -> isCountable || type instanceof Bool || type instanceof Date;
            case HOUR -> type instanceof Timestamp;
            case DAY, MONTH, YEAR -> type instanceof Timestamp || type instanceof Date;
            case BUCKET -> isCountable || type instanceof Date || type instanceof Timestamp;
        };
        if (!suits) {
            throw new SchemaException(
                    "the table cannot be partitioned by %s: hour takes timestamps, day, month and year also dates, bucket text, integers, dates and timestamps, and a value is text, an integer, a boolean or a date; '%s' is none of these"
                            .formatted(rule, rule.column()));
        }
    }

    /** Rows of one partition. */
    public record Part(Partition partition, ColumnBatch rows) {}

    /** Splits rows by their partitions, in the order in which these occur. */
    public List<Part> split(ColumnBatch batch) {
        if (keys.isEmpty()) {
            return List.of(new Part(Partition.NONE, batch));
        }
        Object[][] values = new Object[keys.size()][];
        for (int i = 0; i < keys.size(); i++) {
            values[i] = values(keys.get(i), batch);
        }
        int[] partOfRow = new int[batch.rows()];
        Map<Partition, Integer> parts = new LinkedHashMap<>();
        for (int row = 0; row < batch.rows(); row++) {
            List<@Nullable Object> key = new ArrayList<>(keys.size());
            for (Object[] column : values) {
                key.add(column[row]);
            }
            partOfRow[row] = parts.computeIfAbsent(new Partition(key), partition -> parts.size());
        }
        if (parts.size() == 1) {
            return List.of(new Part(parts.keySet().iterator().next(), batch));
        }
        List<ColumnBatch> rows = batch.split(partOfRow, parts.size());
        List<Part> split = new ArrayList<>();
        parts.forEach((partition, part) -> split.add(new Part(partition, rows.get(part))));
        return split;
    }

    private static @Nullable Object[] values(Key key, ColumnBatch batch) {
        LeafColumn leaf = batch.leaves().get(key.leaf);
        var apply = key.by.bind(key.source);
        @Nullable Object[] values = new @Nullable Object[batch.rows()];
        int value = 0;
        for (int row = 0; row < values.length; row++) {
            if (leaf.definition(row) == leaf.maxDefinition()) {
                values[row] = apply.apply(value(key, leaf, value++));
            }
        }
        return values;
    }

    /** Returns a value as Iceberg represents it. */
    private static Object value(Key key, LeafColumn leaf, int value) {
        if (!leaf.isFixed()) {
            int from = leaf.from(value);
            return new String(leaf.data(), from, leaf.to(value) - from, StandardCharsets.UTF_8);
        }
        long number = leaf.longAt(value);
        return switch (key.source.typeId()) {
            case BOOLEAN -> number != 0;
            case INTEGER, DATE -> (int) number;
            default -> number;
        };
    }

    /**
     * Requires that the last row belongs to a partition.
     *
     * @param folders whether the partition is a folder, whose name is limited
     * @throws BadRecordException if a time is not in the years 1 to 9999, or a text too long for a folder
     */
    public void requireLast(ColumnWriter rows, boolean folders) {
        for (Key key : keys) {
            LeafColumn leaf = rows.leaf(key.leaf);
            if (leaf.definition(leaf.entries() - 1) < leaf.maxDefinition()) {
                continue;
            }
            int last = leaf.values() - 1;
            if (leaf.isFixed()) {
                if (!key.isInRange(leaf.longAt(last))) {
                    throw new BadRecordException(
                            RecordFault.TIME_OUT_OF_RANGE,
                            "'%s' must be in the years 1 to 9999, because the table is partitioned by it"
                                    .formatted(key.rule.column()));
                }
            } else if (folders && key.rule.kind() == PartitionRule.Kind.VALUE) {
                requireShort(key, leaf, last);
            }
        }
    }

    private static void requireShort(Key key, LeafColumn leaf, int last) {
        int length = leaf.to(last) - leaf.from(last);
        if (length * 3 > LONGEST_NAME
                && encoded((String) value(key, leaf, last)).length() > LONGEST_NAME) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'%s' names a folder, so it must have at most %d bytes, percent-encoded"
                            .formatted(key.rule.column(), LONGEST_NAME));
        }
    }

    /**
     * Returns the folders of a partition, as Hive names them, such as {@code hour=2026-11-24-01/city=berlin}; empty if there are
     * none.
     */
    public String folder(Partition partition) {
        StringBuilder folder = new StringBuilder();
        for (int i = 0; i < keys.size(); i++) {
            Key key = keys.get(i);
            folder.append(i == 0 ? "" : "/")
                    .append(encoded(key.name))
                    .append('=')
                    .append(text(key, partition.values().get(i)));
        }
        return folder.toString();
    }

    @SuppressWarnings("unchecked") // the value is a result of the transform
    private static String text(Key key, @Nullable Object value) {
        if (value == null || value.equals("")) {
            return NO_VALUE;
        }
        Transform<Object, Object> by = (Transform<Object, Object>) key.by;
        return encoded(by.toHumanString(by.getResultType(key.source), value));
    }

    /**
     * Percent-encodes UTF-8 bytes other than letters, digits, {@code _}, {@code .} and {@code -}, which every file system allows.
     */
    private static String encoded(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            boolean plain =
                    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || "_.-".indexOf(c) >= 0;
            if (plain) {
                encoded.append(c);
            } else {
                encoded.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
            }
        }
        return encoded.toString();
    }
}
