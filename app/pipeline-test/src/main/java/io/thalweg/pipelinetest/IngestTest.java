package io.thalweg.pipelinetest;

import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A test of an ingest.
 *
 * @param plan the definition with Parquet files as its sink, whose rows name the messages that they come from
 * @param date of times without a date
 * @param expect null if the test has none yet
 * @param delivered for conditions on a topic, the definition with its own sink and the delivery that the condition promises
 */
record IngestTest(
        String name,
        SourceLine place,
        IngestPlan plan,
        LocalDate date,
        Messages messages,
        @Nullable Expected expect,
        Set<Condition> under,
        Map<Condition, IngestPlan> delivered,
        boolean explain)
        implements PipelineTest {
    /** Where the messages come from. */
    sealed interface Messages {
        /** Records of the source. */
        record Inline(List<byte[]> records) implements Messages {
            public Inline {
                records = List.copyOf(records);
            }
        }

        /** A file as {@code ingest --input} takes it. */
        record File(IngestFile file) implements Messages {}
    }

    /**
     * The expected outcome of the messages.
     *
     * @param rows the compared columns of each expected row
     * @param noOtherRows whether a row that is not listed is a failure
     * @param letters dead letters by kind, complete; null = not compared
     */
    record Expected(
            List<Map<String, ColumnValue>> rows,
            boolean noOtherRows,
            Counts counts,
            @Nullable Map<DeadLetterKind, Long> letters) {
        public Expected {
            rows = List.copyOf(rows);
        }
    }

    @Override
    public String subject() {
        return "ingest " + plan.ingest().qualifiedName();
    }

    @Override
    public boolean isWritten() {
        return expect != null;
    }
}
