package io.thalweg.jobs.file;

import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
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
 * A bounded source that reads files one after the other. Use it with parallelism 1; parallelism starts downstream of it.
 *
 * <p>A checkpoint holds the number of events read. A reader that resumes from it reads these events again to restore the partition's
 * clock, and emits only those that follow.
 */
public final class FileBlockSource
        implements org.apache.flink.api.connector.source.Source<DecodedBlock, FileBlockSource.Whole, Boolean> {
    /** How the files make up partitions. */
    public enum Partitions {
        /** All files form one partition, in the order given, with one clock for all events. */
        ONE,
        /** Each file is a partition with its own clock; event time advances once all partitions have started. */
        ONE_PER_FILE
    }

    private final Source source;
    private final List<FeatureView> views;
    private final List<String> files;
    private final Partitions partitions;
    private final LookupSources lookups;
    private final String jobId;

    /**
     * Creates a source for views that share it.
     *
     * @param files paths in reading order; {@code -} is the standard input
     * @param lookups where the views' tables are
     * @param jobId the job that owns the tables
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
     * The only split: all files.
     *
     * @param events the number of events already emitted
     */
    public record Whole(long events) implements SourceSplit {
        @Override
        public String splitId() {
            return "all";
        }
    }
}
