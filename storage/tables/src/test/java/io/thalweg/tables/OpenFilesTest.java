package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class OpenFilesTest {
    private static final class Fake implements OpenFiles.File {
        private long bytes;
        private int groups;

        @Override
        public long bytesInMemory() {
            return bytes;
        }

        @Override
        public void endRowGroup() {
            bytes = 0;
            groups++;
        }
    }

    @Test
    void written_moreThanAllMayTake_theLargestIsRelieved() throws IOException {
        OpenFiles<String, Fake> files = new OpenFiles<>(100, 10);
        List<Fake> fakes = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            Fake file = new Fake();
            fakes.add(file);
            files.opened(name, file);
        }
        fakes.get(0).bytes = 30;
        files.written("a");
        fakes.get(1).bytes = 50;
        files.written("b");
        fakes.get(2).bytes = 20;
        files.written("c");
        assertThat(fakes).extracting(file -> file.groups).containsExactly(0, 0, 0);

        fakes.get(2).bytes = 21;
        files.written("c");

        assertThat(fakes).extracting(file -> file.groups).containsExactly(0, 1, 0);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void written_randomly_allTogetherStayWithinTheLimits(long seed) throws IOException {
        Random random = new Random(seed);
        OpenFiles<Integer, Fake> files = new OpenFiles<>(1_000, 5);
        List<Fake> open = new ArrayList<>();
        for (int step = 0; step < 500; step++) {
            int partition = random.nextInt(12);
            Fake file = files.get(partition);
            if (file == null) {
                file = new Fake();
                open.add(file);
                files.opened(partition, file);
            }
            file.bytes += random.nextInt(300);
            files.written(partition);
            for (int excess : files.excess()) {
                assertThat(excess).as("what was just written to").isNotEqualTo(partition);
                open.remove(files.get(excess));
                files.closed(excess);
            }
            assertThat(open.stream().mapToLong(each -> each.bytes).sum()).isLessThanOrEqualTo(1_000);
            assertThat(files.partitions()).hasSize(open.size()).hasSizeLessThanOrEqualTo(5);
        }
    }

    @Test
    void excess_names_thoseWrittenToLongestAgo() throws IOException {
        OpenFiles<String, Fake> files = new OpenFiles<>(100, 2);
        for (String name : List.of("a", "b", "c", "d")) {
            files.opened(name, new Fake());
        }
        files.written("a");
        files.written("c");

        assertThat(files.excess()).containsExactly("b", "d");
    }
}
