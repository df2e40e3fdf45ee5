package io.thalweg.jobs.file;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Source;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Bounded input: files, which are read one after the other. Use it with parallelism 1; parallelism starts behind it.
 *
 * <p>A checkpoint keeps how many events were read. A reader that continues from it reads them again, for the partition's clock, and
 * emits those that follow.
 */
public final class FileBlockSource
        implements org.apache.flink.api.connector.source.Source<DecodedBlock, FileBlockSource.Whole, Boolean> {
    /** What the files are parts of. */
    public enum Partitions {
        /** One partition, in the order given: one clock judges all events. */
        ONE,
        /** A partition each: each has its clock, and event time passes once all partitions have started. */
        ONE_PER_FILE
    }

    private final Source source;
    private final List<FeatureView> views;
    private final List<String> files;
    private final Partitions partitions;
    private final LookupSources lookups;
    private final String jobId;

    /**
     * A source for views that have it in common.
     *
     * @param files paths in reading order; {@code -} is the standard input
     * @param lookups where the views' tables are
     * @param jobId whose tables they are
     */
    public FileBlockSource(
            Source source,
            List<FeatureView> views,
            List<String> files,
            Partitions partitions,
            LookupSources lookups,
            String jobId) {
        this.source = source;
        this.views = List.copyOf(views);
        this.files = List.copyOf(files);
        this.partitions = partitions;
        this.lookups = lookups;
        this.jobId = jobId;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<DecodedBlock, Whole> createReader(SourceReaderContext context) throws IOException {
        LookupTables tables = LookupTables.open(jobId, views, lookups, Clock.systemUTC());
        return new FileBlockReader(source, views, files, partitions, tables, jobId);
    }

    @Override
    public SplitEnumerator<Whole, Boolean> createEnumerator(SplitEnumeratorContext<Whole> context) {
        return new WholeEnumerator(context, false);
    }

    @Override
    public SplitEnumerator<Whole, Boolean> restoreEnumerator(SplitEnumeratorContext<Whole> context, Boolean assigned) {
        return new WholeEnumerator(context, assigned);
    }

    @Override
    public SimpleVersionedSerializer<Whole> getSplitSerializer() {
        return new OneLong<>(Whole::events, Whole::new);
    }

    @Override
    public SimpleVersionedSerializer<Boolean> getEnumeratorCheckpointSerializer() {
        return new OneLong<>(assigned -> assigned ? 1 : 0, number -> number != 0);
    }

    /**
     * The one split: all files.
     *
     * @param events how many of them have been emitted
     */
    public record Whole(long events) implements SourceSplit {
        @Override
        public String splitId() {
            return "all";
        }
    }
}
