package io.thalweg.jobs.kafka;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import io.thalweg.formats.lookup.LookupSources;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.LookupGauges;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.kafka.partition.KafkaSplit;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;

/**
 * Reads the topics of one {@link Source} for all views that share it.
 *
 * <p>Partition clocks are part of the checkpoint. Readers emit the watermark: the smallest clock of their partitions that are not idle,
 * or, while all of them are, the one that the enumerator allows. Use it with a watermark strategy that generates none.
 */
public final class EventBlockSource extends KafkaBlockSource<DecodedBlock> {
    private static final int DRIFT_PANES = 2;
    private static final int BLOCK_EVENTS = 2_048;

    private final Source source;
    private final List<FeatureView> views;
    private final LookupSources lookups;
    private final String jobId;
    private final ClockSpec clock;

    /**
     * Creates a source for the views that share it.
     *
     * @param lookups where the views' tables are
     * @param jobId the job that the tables belong to
     * @param clock provides {@code now}
     */
    public EventBlockSource(
            Source source,
            List<FeatureView> views,
            TopicRead read,
            LookupSources lookups,
            String jobId,
            ClockSpec clock) {
        super(read);
        this.source = source;
        this.views = List.copyOf(views);
        this.lookups = lookups;
        this.jobId = jobId;
        this.clock = clock;
    }

    @Override
    public SourceReader<DecodedBlock, KafkaSplit> createReader(SourceReaderContext context) throws IOException {
        Clock now = clock.toClock(Clock.systemUTC());
        LookupTables tables = LookupTables.open(jobId, views, lookups, Clock.systemUTC());
        LookupGauges.register(tables, context.metricGroup());
        Projection projection = Projection.of(views);
        EventDecoder decoder = tables.joined(EventDecoder.create(projection), projection);
        KafkaFetcher<EventColumns> fetcher =
                fetcher(new EventPolls(decoder, projection, BLOCK_EVENTS), now, context.metricGroup());
        for (FeatureView view : views) {
            JobMetrics.of(jobId).view(view.qualifiedName()).lag(context.getIndexOfSubtask(), fetcher::lag);
        }
        return new EventBlockReader(
                context,
                source,
                BlockTimer.live(source, projection, clock, now),
                tables,
                watermarkStepMs(),
                maxDrift(views).toMillis(),
                fetcher);
    }

    @Override
    long silenceMs() {
        return silenceMs(source);
    }

    static long silenceMs(Source source) {
        return source.maxOutOfOrderness().millis() + source.idleAfter().millis();
    }

    /** Returns how far a partition or a reader may run ahead of the slowest: two panes of the view with the largest panes. */
    public static Duration maxDrift(List<FeatureView> views) {
        return views.stream()
                .map(view -> view.windows().every().duration())
                .max(Comparator.naturalOrder())
                .orElseThrow()
                .multipliedBy(DRIFT_PANES);
    }

    /** Returns the greatest step that meets every pane end of every view, where watermarks matter. */
    private long watermarkStepMs() {
        long step = 0;
        for (FeatureView view : views) {
            long every = view.windows().every().millis();
            while (every != 0) {
                long rest = step % every;
                step = every;
                every = rest;
            }
        }
        return step;
    }
}
