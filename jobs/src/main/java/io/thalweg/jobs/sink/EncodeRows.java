package io.thalweg.jobs.sink;

import io.thalweg.formats.AvroRows;
import io.thalweg.jobs.ViewCounts;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.KeyedRowJson;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.PackedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import io.thalweg.model.RowJson;
import io.thalweg.model.SinkSpec;
import java.time.Clock;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;

/** TurnSchedule rows and progress into Kafka records: {@code json} and {@code avro} one per row, {@code packed} one per block. */
public final class EncodeRows extends RichFlatMapFunction<OutputItem, KafkaRecord> {
    private final FeatureView view;
    private final SinkSpec.Format format;
    private final ClockSpec clockSpec;

    private transient BlockEncoder encoder;
    private transient Clock clock;
    private transient Counter written;

    /** The records of a block. */
    private interface BlockEncoder {
        void encode(OutputItem rows, long createdMs, Collector<KafkaRecord> out);
    }

    /** The value of one row. */
    private interface RowEncoder {
        byte[] value(RowBlock block, int row, long createdMs);
    }

    public EncodeRows(FeatureView view, SinkSpec.Format format, ClockSpec clock) {
        this.view = view;
        this.format = format;
        this.clockSpec = clock;
    }

    @Override
    public void open(OpenContext context) {
        encoder = view.isKeyed() ? keyed() : withRings();
        clock = clockSpec.toClock(Clock.systemUTC());
        written = ViewCounts.group(view, getRuntimeContext().getMetricGroup()).counter("rows");
    }

    @Override
    public void flatMap(OutputItem item, Collector<KafkaRecord> out) {
        if (item instanceof OutputItem.Done done) {
            Progress progress = done.progress();
            out.collect(new KafkaRecord(
                    progress.shard(),
                    RowJson.progressKey(progress),
                    RowJson.progress(progress),
                    progress.windowEndMs()));
            return;
        }
        encoder.encode(item, clock.millis(), out);
        written.inc(item.isPartial() ? 0 : item.rows());
    }

    private BlockEncoder withRings() {
        RowJson json = new RowJson(view);
        RowEncoder rows = format == SinkSpec.Format.AVRO ? new AvroRows(view)::value : json::value;
        PackedRows packed = new PackedRows(view);
        boolean whole = format == SinkSpec.Format.PACKED;
        return (item, createdMs, out) -> {
            RowBlock block = ((OutputItem.Rows) item).block();
            if (whole) {
                out.collect(new KafkaRecord(
                        block.shard(),
                        RowJson.blockKey(block),
                        packed.encodeBlock(block, createdMs),
                        block.windowEndMs()));
                return;
            }
            for (int row = 0; row < block.rows(); row++) {
                out.collect(new KafkaRecord(
                        block.shard(), json.key(block, row), rows.value(block, row, createdMs), block.windowEndMs()));
            }
        };
    }

    private BlockEncoder keyed() {
        KeyedRowJson json = new KeyedRowJson(view);
        PackedKeyedRows packed = new PackedKeyedRows(view);
        boolean whole = format == SinkSpec.Format.PACKED;
        return (item, createdMs, out) -> {
            KeyedRowBlock block = ((OutputItem.Keyed) item).block();
            if (whole) {
                out.collect(new KafkaRecord(
                        block.shard(),
                        json.blockKey(block),
                        packed.encodeBlock(block, createdMs),
                        block.windowEndMs()));
                return;
            }
            for (int row = 0; row < block.rows(); row++) {
                out.collect(new KafkaRecord(
                        block.shard(), json.key(block, row), json.value(block, row, createdMs), block.windowEndMs()));
            }
        };
    }
}
