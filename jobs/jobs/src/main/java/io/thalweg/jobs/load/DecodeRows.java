package io.thalweg.jobs.load;

import io.thalweg.model.bytes.JsonText;
import io.thalweg.model.row.ForeignRowException;
import io.thalweg.model.row.ForeignRowException.Difference;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowCodec;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Decodes records of a view's topic into rows and progress, in whichever format each record is. Records that are neither, or that belong
 * to another view, are emitted as bad.
 *
 * <p>If several views are published from one topic, each decodes all of its records and skips those that the others take.
 */
final class DecodeRows extends RichFlatMapFunction<RowRecord, LoadItem> {
    private static final long serialVersionUID = 1L;
    private static final int JSON = '{';
    private static final int AVRO = 0xC3;

    private final FeatureView view;
    /** The other views of the topic, and whether they are keyed. */
    private final Map<String, Boolean> neighbours = new HashMap<>();

    private transient @Nullable RowCodec packed;
    private transient @Nullable RowJson json;
    private transient @Nullable KeyCodec keys;

    /**
     * Creates a decoder.
     *
     * @param neighbours other views that are published from the same topic
     */
    DecodeRows(FeatureView view, List<FeatureView> neighbours) {
        this.view = view;
        neighbours.forEach(each -> this.neighbours.put(each.qualifiedName(), each.isKeyed()));
    }

    @Override
    public void open(OpenContext context) {
        packed = RowCodec.of(view);
        json = RowJson.of(view);
        keys = view.isKeyed() ? new KeyCodec(view) : null;
    }

    private RowBlock rows(byte[] value) {
        return first(value) == JSON
                ? Objects.requireNonNull(json, "not open").decodeBlock(value)
                : Objects.requireNonNull(packed, "not open").decodeBlock(value);
    }

    private static int first(byte[] value) {
        return value.length == 0 ? -1 : value[0] & 0xFF;
    }

    @Override
    public void flatMap(RowRecord record, Collector<LoadItem> out) {
        LoadItem item = decode(record);
        if (item != null) {
            out.collect(item);
        }
    }

    /** Decodes a record; null if a neighbour takes it. */
    private @Nullable LoadItem decode(RowRecord record) {
        byte[] value = record.value();
        if (value == null) {
            return new LoadItem.Bad(
                    DeadLetterReason.UNDECODABLE, "a record must have a value, was null", record.origin(), new byte[0]);
        }
        try {
            return item(value, record.origin());
        } catch (ForeignRowException e) {
            boolean layout = e.difference() == Difference.LAYOUT;
            return !layout && isNeighbours(e.view(), value)
                    ? null
                    : bad(
                            layout ? DeadLetterReason.WRONG_LAYOUT : DeadLetterReason.WRONG_VIEW,
                            e,
                            record.origin(),
                            value);
        } catch (IllegalArgumentException e) {
            return bad(DeadLetterReason.UNDECODABLE, e, record.origin(), value);
        }
    }

    private LoadItem item(byte[] value, Origin origin) {
        if (first(value) == AVRO) {
            throw new IllegalArgumentException("a row must be packed or JSON, was Avro");
        }
        if (first(value) == (view.isKeyed() ? HexRowCodec.BLOCK_MAGIC : KeyedRowCodec.BLOCK_MAGIC)) {
            String kind = view.isKeyed() ? "with rings" : "that is keyed";
            throw new ForeignRowException(
                    Difference.VIEW, "", "the block must be of view " + view.qualifiedName() + ", was of one " + kind);
        }
        Progress progress = first(value) == JSON ? ProgressJson.parse(value) : null;
        if (progress != null) {
            return new LoadItem.Done(checked(progress));
        }
        RowBlock rows = rows(value);
        String halved = first(value) == JSON ? halved(rows) : null;
        return halved == null
                ? new LoadItem.Rows(rows, origin)
                : new LoadItem.Bad(
                        DeadLetterReason.INVALID_TEXT,
                        "row." + halved + " must be valid Unicode text, was text with half of a surrogate pair",
                        origin,
                        value);
    }

    /** Returns the entity of a row whose text contains half of a surrogate pair, which no read can name; null if there is none. */
    private @Nullable String halved(RowBlock row) {
        List<Object> key = row instanceof KeyedRowBlock keyed
                ? keyed.key(Objects.requireNonNull(keys, "not open"), 0)
                : ((HexRowBlock) row).group();
        for (int i = 0; i < key.size(); i++) {
            if (key.get(i) instanceof String text && !JsonText.isUnicode(text)) {
                return view.group().get(i).name();
            }
        }
        return null;
    }

    private Progress checked(Progress progress) {
        if (!progress.view().equals(view.qualifiedName())) {
            throw new ForeignRowException(
                    Difference.VIEW,
                    progress.view(),
                    "progress must be of view " + view.qualifiedName() + ", was of " + progress.view());
        }
        if (progress.shard() < 0 || progress.shard() >= progress.shards()) {
            throw new IllegalArgumentException("progress.shard must be from 0 to shards - 1, was " + progress);
        }
        return progress;
    }

    /** Returns whether a neighbour takes a value. Blocks of the other kind are left to the neighbours of that kind. */
    private boolean isNeighbours(String name, byte[] value) {
        return name.isEmpty()
                ? neighbours.containsValue(first(value) == KeyedRowCodec.BLOCK_MAGIC)
                : neighbours.containsKey(name);
    }

    private static LoadItem bad(DeadLetterReason reason, IllegalArgumentException e, Origin origin, byte[] value) {
        return new LoadItem.Bad(reason, String.valueOf(e.getMessage()), origin, value);
    }
}
