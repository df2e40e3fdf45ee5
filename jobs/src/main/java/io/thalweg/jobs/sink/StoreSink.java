package io.thalweg.jobs.sink;

import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.letters.DeadLetters;
import io.thalweg.model.FeatureView;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.store.Stores;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Writes rows into a store that this process has open, each shard's progress behind its rows. The store's order rule makes
 * writing again harmless, so a flush before each checkpoint is all that exactness takes.
 *
 * @param store its name among {@link Stores}, or the folder of an embedded one
 * @param deadLetters where rows go that the store refuses for good
 * @param clock what {@code now} is, for expiry
 */
public record StoreSink(FeatureView view, String store, DeadLetters deadLetters, ClockSpec clock, String jobId)
        implements Sink<OutputItem> {
    private static final Duration STANDS_BACK = Duration.ofSeconds(3);

    @Override
    public SinkWriter<OutputItem> createWriter(WriterInitContext context) {
        int tasks = context.getTaskInfo().getNumberOfParallelSubtasks();
        boolean takeAllProcessors = tasks >= Runtime.getRuntime().availableProcessors();
        return new StoreWriter(
                view,
                Stores.open(store, clock.toClock(Clock.systemUTC())),
                deadLetters.open(context.getTaskInfo().getIndexOfThisSubtask()),
                JobMetrics.of(jobId).view(view.qualifiedName()),
                tasks,
                takeAllProcessors ? STANDS_BACK : Duration.ZERO,
                TimeUnit.MILLISECONDS::sleep);
    }
}
