package io.thalweg.pipelinetest;

import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Events;
import java.time.LocalDate;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A test of a view.
 *
 * @param date of times without a date
 * @param expect null if the test has none yet
 */
record ViewTest(
        String name,
        SourceLine place,
        FeatureView view,
        LocalDate date,
        Events events,
        @Nullable Expectation expect,
        Set<Condition> under,
        boolean explain)
        implements PipelineTest {
    @Override
    public String subject() {
        return "view " + view.qualifiedName();
    }

    @Override
    public boolean isWritten() {
        return expect != null;
    }
}
