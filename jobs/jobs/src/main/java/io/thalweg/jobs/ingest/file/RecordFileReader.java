package io.thalweg.jobs.ingest.file;

import io.thalweg.formats.file.RawBlock;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordFile;
import io.thalweg.jobs.file.FileGate;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reads files one after the other, one block per poll, so that checkpoints can run in between.
 *
 * <p><b>Threads.</b> The task thread only.
 */
final class RecordFileReader implements SourceReader<RawRecords, FilePosition> {
    private final SourceReaderContext context;
    private final Limits limits;
    private final @Nullable FileGate gate;
    private final Deque<FilePosition> waiting = new ArrayDeque<>();
    private @Nullable FilePosition current;
    private @Nullable RecordFile open;
    private boolean noMore;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    RecordFileReader(SourceReaderContext context, Limits limits, @Nullable FileGate gate) {
        this.context = context;
        this.limits = limits;
        this.gate = gate;
    }

    @Override
    public void start() {
        if (waiting.isEmpty()) {
            context.sendSplitRequest();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<RawRecords> output) throws IOException {
        if (open == null) {
            FilePosition next = waiting.poll();
            if (next == null) {
                available = new CompletableFuture<>();
                return noMore ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
            }
            current = next;
            open = next.open(limits);
        }
        if (gate == null) {
            read(open, Integer.MAX_VALUE, output);
        } else if (!readOne(open, gate, output)) {
            return InputStatus.NOTHING_AVAILABLE;
        }
        return InputStatus.MORE_AVAILABLE;
    }

    /** Reads a record if the gate lets it pass. */
    private boolean readOne(RecordFile file, FileGate gate, ReaderOutput<RawRecords> output) throws IOException {
        if (gate.take(1) == 0) {
            return false;
        }
        if (!read(file, 1, output)) {
            gate.giveBack(1);
        }
        return true;
    }

    /** Reads records, or closes the file at its end; returns whether there were any. */
    private boolean read(RecordFile file, int most, ReaderOutput<RawRecords> output) throws IOException {
        RawBlock block = file.read(most);
        if (block != null) {
            output.collect(block);
            current = current == null ? null : current.at(file.next());
            return true;
        }
        file.close();
        open = null;
        current = null;
        if (waiting.isEmpty() && !noMore) {
            context.sendSplitRequest();
        }
        return false;
    }

    @Override
    public List<FilePosition> snapshotState(long checkpointId) {
        List<FilePosition> positions = new ArrayList<>();
        if (current != null) {
            positions.add(current);
        }
        positions.addAll(waiting);
        return positions;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        if (open != null && gate != null) {
            return gate.opened();
        }
        return open != null || !waiting.isEmpty() || noMore ? CompletableFuture.completedFuture(null) : available;
    }

    @Override
    public void addSplits(List<FilePosition> splits) {
        waiting.addAll(splits);
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMore = true;
        available.complete(null);
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
