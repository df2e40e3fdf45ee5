package io.thalweg.jobs.sink;

import io.thalweg.formats.AvroRows;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.SinkSpec;
import java.time.Clock;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;

/** Encodes rows and progress as Kafka records: one per row for {@code json} and {@code avro}, one per block for {@code packed}. */
public final class EncodeRows extends RichFlatMapFunction<OutputItem, KafkaRecord> {
    private final FeatureView view;
    private final SinkSpec.Format format;
    private final ClockSpec clockSpec;

    private transient BlockEncoder encoder;
    private transient Clock clock;
    private transient Counter written;

    /** The records of a block. */
    private interface BlockEncoder {
        void encode(RowBlock block, long createdMs, Collector<KafkaRecord> out);
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
        RowJson json = RowJson.of(view);
        encoder = switch (format) {
            case PACKED -> whole(json, RowCodec.of(view));
            case JSON -> each(json, json::value);
            case AVRO -> each(json, avro());
        };
        clock = clockSpec.toClock(Clock.systemUTC());
        written = ViewMetrics.group(view, getRuntimeContext().getMetricGroup()).counter("rows");
    }

    private RowEncoder avro() {
        AvroRows rows = new AvroRows(view);
        return (block, row, createdMs) -> rows.value((HexRowBlock) block, row, createdMs);
    }

    private static BlockEncoder whole(RowJson json, RowCodec codec) {
        return (block, createdMs, out) -> out.collect(new KafkaRecord(
                block.shard(), json.blockKey(block), codec.encodeBlock(block, createdMs), block.windowEndMs()));
    }

    private static BlockEncoder each(RowJson json, RowEncoder rows) {
        return (block, createdMs, out) -> {
            for (int row = 0; row < block.rows(); row++) {
                out.collect(new KafkaRecord(
                        block.shard(), json.key(block, row), rows.value(block, row, createdMs), block.windowEndMs()));
            }
        };
    }

    @Override
    public void flatMap(OutputItem item, Collector<KafkaRecord> out) {
        if (item instanceof OutputItem.Rows rows) {
            encoder.encode(rows.block(), clock.millis(), out);
            written.inc(item.isPartial() ? 0 : item.rows());
        } else if (item instanceof OutputItem.Done done) {
            Progress progress = done.progress();
            out.collect(new KafkaRecord(
                    progress.shard(),
                    ProgressJson.key(progress),
                    ProgressJson.value(progress),
                    progress.windowEndMs()));
        }
    }
}
