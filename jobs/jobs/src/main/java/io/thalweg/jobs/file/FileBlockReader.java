package io.thalweg.jobs.file;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordDecoder;
import io.thalweg.formats.file.EventFile;
import io.thalweg.formats.file.EventFiles;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.tables.ParquetEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reads files event by event into blocks.
 *
 * <p><b>Threads.</b> The task thread only.
 */
final class FileBlockReader implements SourceReader<DecodedBlock, FileBlockSource.Whole> {
    private static final int BLOCK_EVENTS = 1024;
    private static final long BLOCK_BYTES = 1 << 20;

    private final EventFiles inputs;
    private final BlockTimer timer;
    private final EventColumns events;
    private final long maxOutOfOrdernessMs;
    private final List<String> files;
    private final FileBlockSource.Partitions partitions;
    private final LookupTables tables;
    private final JobMetrics metrics;
    private final @Nullable FileGate gate;
    private final CompletableFuture<Void> assigned = new CompletableFuture<>();
    private PartitionClock clock;
    private int nextFile;
    private String file = "";
    private @Nullable EventFile open;
    private long sentMs = Long.MIN_VALUE;
    /** The largest event time read, of all partitions. */
    private long lastEventMs = PartitionClock.NOT_STARTED;

    private long read;
    private long emittedBefore;

    FileBlockReader(
            Source source,
            List<FeatureView> views,
            List<String> files,
            FileBlockSource.Partitions partitions,
            LookupTables tables,
            String jobId) {
        Projection projection = Projection.of(views);
        this.inputs = new EventFiles(
                projection,
                decoder -> tables.joined(decoder, projection),
                LineReader::byteOffset,
                RecordDecoder::create,
                ParquetEvents::open);
        this.timer = BlockTimer.ofFiles(source, projection);
        this.events = new EventColumns(projection);
        this.maxOutOfOrdernessMs = source.maxOutOfOrderness().millis();
        this.clock = PartitionClock.notStarted(maxOutOfOrdernessMs);
        this.files = files;
        this.partitions = partitions;
        this.tables = tables;
        this.metrics = JobMetrics.of(jobId);
        this.gate = FileGate.of(jobId);
    }

    @Override
    public void start() {
        // Reading starts when the split is assigned.
    }

    @Override
    public InputStatus pollNext(ReaderOutput<DecodedBlock> output) throws IOException {
        if (!assigned.isDone()) {
            return InputStatus.NOTHING_AVAILABLE;
        }
        long most = most();
        if (most == 0) {
            return InputStatus.NOTHING_AVAILABLE;
        }
        if (open == null && !openNext()) {
            endTime(output);
            return InputStatus.END_OF_INPUT;
        }
        fill(most);
        if (events.size() > 0) {
            read += events.size();
            DecodedBlock block = timer.timed(events, file, clock, Long.MIN_VALUE);
            lastEventMs = Math.max(lastEventMs, clock.maxEventTimeMs());
            if (read > emittedBefore) {
                emit(block, output);
            }
        }
        return InputStatus.MORE_AVAILABLE;
    }

    /** The maximum size of the next block: 0 at the gate, and never a mix of events emitted before and new ones. */
    private long most() {
        if (read < emittedBefore) {
            return Math.min(BLOCK_EVENTS, emittedBefore - read);
        }
        return gate == null ? BLOCK_EVENTS : Math.min(BLOCK_EVENTS, gate.room(read));
    }

    private void emit(DecodedBlock block, ReaderOutput<DecodedBlock> output) {
        output.collect(block);
        if (allPartitionsStarted() && clock.nowMs() > sentMs) {
            sentMs = clock.nowMs();
            output.emitWatermark(new Watermark(sentMs));
        }
    }

    /** Advances event time to the last event, because no event can follow. */
    private void endTime(ReaderOutput<DecodedBlock> output) {
        if (lastEventMs > sentMs) {
            output.emitWatermark(new Watermark(lastEventMs));
        }
    }

    /** Earlier partitions have ended, so once the last one is open, it alone holds event time back. */
    private boolean allPartitionsStarted() {
        return partitions == FileBlockSource.Partitions.ONE || nextFile == files.size();
    }

    private boolean openNext() throws IOException {
        if (nextFile == files.size()) {
            return false;
        }
        if (partitions == FileBlockSource.Partitions.ONE_PER_FILE) {
            clock = PartitionClock.notStarted(maxOutOfOrdernessMs);
        }
        file = files.get(nextFile++);
        open = file.equals("-") ? inputs.open(System.in, "standard input") : inputs.open(Path.of(file));
        return true;
    }

    /** Fills the block with at most {@code most} events, or until it is large enough; closes the file at its end. */
    private void fill(long most) throws IOException {
        EventFile from = Objects.requireNonNull(open, "no file is open");
        events.clear();
        long bytes = 0;
        while (events.size() < most && bytes < BLOCK_BYTES) {
            if (!from.next(events)) {
                from.close();
                open = null;
                break;
            }
            bytes += events.rawTotal(events.size() - 1);
        }
        metrics.read(bytes);
    }

    @Override
    public List<FileBlockSource.Whole> snapshotState(long checkpointId) {
        return assigned.isDone() ? List.of(new FileBlockSource.Whole(Math.max(read, emittedBefore))) : List.of();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return gate == null || !assigned.isDone() || read < emittedBefore ? assigned : gate.beyond(read);
    }

    @Override
    public void addSplits(List<FileBlockSource.Whole> splits) {
        emittedBefore = splits.get(0).events();
        assigned.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        // There is only one split.
    }

    @Override
    public void close() throws IOException {
        tables.close();
        if (open != null) {
            open.close();
        }
    }
}
