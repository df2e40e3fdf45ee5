package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloseablesTest {
    private final List<String> closed = new ArrayList<>();
    private final Closeables open = new Closeables();

    @Test
    void close_twice_closesEachPartOnceInReverseOrder() {
        open.add(() -> closed.add("first"));
        open.add(() -> closed.add("second"));

        open.close();
        open.close();

        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void close_partsFail_closesTheOthersAndThrowsTheFirstFailure() {
        IOException disk = new IOException("disk");
        IllegalStateException job = new IllegalStateException("job");
        open.add(() -> closed.add("first"));
        open.add(() -> {
            throw disk;
        });
        open.add(() -> {
            throw job;
        });

        assertThatThrownBy(open::close)
                .isSameAs(job)
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .isInstanceOf(UncheckedIOException.class)
                        .extracting(Throwable::getCause)
                        .isSameAs(disk));
        assertThat(closed).containsExactly("first");
    }

    @Test
    void add_afterClose_closesAtOnce() {
        open.close();

        open.add(() -> closed.add("late"));

        assertThat(closed).containsExactly("late");
    }
}
