package io.thalweg.jobs.load;

import io.thalweg.jobs.ThreadTime;
import io.thalweg.jobs.deadletters.DeadLetters;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreAddress;
import java.time.Clock;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Writes a view's rows and progress from any source into a store. The store's order rule makes repeated writes harmless, so exactness
 * only requires a flush before each checkpoint.
 *
 * @param jobId names what the process shares with the job: metrics
 * @param clock provides {@code now} for expiry and freshness
 */
record LoadSink(
        FeatureView view,
        StoreAddress store,
        DeadLetters deadLetters,
        DeploymentConfig.Load limits,
        ClockSpec clock,
        String jobId)
        implements Sink<LoadItem> {
    @Override
    public SinkWriter<LoadItem> createWriter(WriterInitContext context) {
        Clock now = clock.toClock(Clock.systemUTC());
        OnlineStore opened = store.open(now);
        ThreadTime.register(context.metricGroup());
        return new LoadWriter(
                view,
                opened,
                deadLetters.open(context.getTaskInfo().getIndexOfThisSubtask()),
                limits,
                new ViewLoadMetrics(jobId, view, limits, context.metricGroup()),
                new Task(context.getProcessingTimeService(), now));
    }

    private record Task(ProcessingTimeService timers, Clock clock) implements LoadWriter.Outside {
        @Override
        public void after(long ms, Runnable run) {
            var unused = timers.registerTimer(timers.getCurrentProcessingTime() + ms, due -> run.run());
        }

        @Override
        public void pause(long ms) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(ms);
        }

        @Override
        public RandomGenerator random() {
            return ThreadLocalRandom.current();
        }

        @Override
        public LongSupplier nanoTime() {
            return System::nanoTime;
        }
    }
}
