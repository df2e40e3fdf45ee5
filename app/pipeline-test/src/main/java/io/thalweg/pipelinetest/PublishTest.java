package io.thalweg.pipelinetest;

import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Events;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A test of publishing rows from a view's topic into an online store.
 *
 * @param view with a sink that can be published
 * @param date of times without a date
 * @param expect null if the test has none yet
 */
record PublishTest(
        String name,
        SourceLine place,
        FeatureView view,
        LocalDate date,
        Input input,
        @Nullable Expected expect,
        Set<Condition> under)
        implements PipelineTest {
    /** The records of the topic. */
    sealed interface Input {
        /** The rows that the view computes from events. */
        record OfView(Events events) implements Input {}

        /** Records that the test lists. */
        record Listed(List<TopicRecord> records) implements Input {
            public Listed {
                records = List.copyOf(records);
            }
        }
    }

    /**
     * A record of the topic.
     *
     * @param atMs when it is written, epoch ms
     * @param timestampMs the timestamp of the record, which is the window end for a row
     */
    record TopicRecord(long atMs, long timestampMs, byte[] value) {}

    /**
     * The expected outcome of the records.
     *
     * @param letters dead letters by kind, complete; null = not compared
     * @param reads in the order of their moments
     */
    record Expected(Counts counts, @Nullable Map<DeadLetterKind, Long> letters, List<ExpectedRead> reads) {
        public Expected {
            reads = List.copyOf(reads);
        }
    }

    @Override
    public String subject() {
        return "publishing view " + view.qualifiedName();
    }

    @Override
    public boolean isWritten() {
        return expect != null;
    }

    @Override
    public boolean explain() {
        return false;
    }
}
