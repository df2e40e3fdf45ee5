package io.thalweg.jobs.sink;

import io.thalweg.formats.AvroRows;
import io.thalweg.jobs.ViewCounts;
import io.thalweg.jobs.block.Emission;
import io.thalweg.model.ClockSpec;
import io.thalweg.model.FeatureView;
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

/** Turns rows and progress into Kafka records: {@code json} and {@code avro} one per row, {@code packed} one per block. */
public final class EncodeRows extends RichFlatMapFunction<Emission, KafkaRecord> {
    private final FeatureView view;
    private final SinkSpec.Format format;
    private final ClockSpec clockSpec;

    private transient RowJson json;
    private transient RowEncoder rows;
    private transient PackedRows packed;
    private transient Clock clock;
    private transient Counter written;

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
        json = new RowJson(view);
        rows = format == SinkSpec.Format.AVRO ? new AvroRows(view)::value : json::value;
        packed = new PackedRows(view);
        clock = clockSpec.toClock(Clock.systemUTC());
        written = ViewCounts.group(view, getRuntimeContext().getMetricGroup()).counter("rows");
    }

    @Override
    public void flatMap(Emission emission, Collector<KafkaRecord> out) {
        if (emission instanceof Emission.Rows some) {
            encode(some.block(), out);
        } else if (emission instanceof Emission.Done done) {
            Progress progress = done.progress();
            out.collect(new KafkaRecord(
                    progress.shard(),
                    RowJson.progressKey(progress),
                    RowJson.progress(progress),
                    progress.windowEndMs()));
        }
    }

    private void encode(RowBlock block, Collector<KafkaRecord> out) {
        long createdMs = clock.millis();
        written.inc(block.rows());
        if (format == SinkSpec.Format.PACKED) {
            out.collect(new KafkaRecord(
                    block.shard(), RowJson.blockKey(block), packed.encodeBlock(block, createdMs), block.windowEndMs()));
            return;
        }
        for (int row = 0; row < block.rows(); row++) {
            out.collect(new KafkaRecord(
                    block.shard(), json.key(block, row), rows.value(block, row, createdMs), block.windowEndMs()));
        }
    }
}
