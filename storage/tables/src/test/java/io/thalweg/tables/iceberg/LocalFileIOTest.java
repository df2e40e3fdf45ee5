package io.thalweg.tables.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFileIOTest {
    private static final int THREADS = 4;
    private static final int TABLES = 200;

    @TempDir
    Path folder;

    /** Iceberg does this when a table's first append writes its manifests. */
    @Test
    void newOutputFile_manyThreadsInNewFolder_allWrite() throws Exception {
        LocalFileIO files = new LocalFileIO();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        CyclicBarrier start = new CyclicBarrier(THREADS);
        try {
            for (int table = 0; table < TABLES; table++) {
                Path metadata = folder.resolve("t%d/metadata".formatted(table));
                List<Callable<Path>> writers = new ArrayList<>();
                for (int thread = 0; thread < THREADS; thread++) {
                    Path file = metadata.resolve("file" + thread);
                    writers.add(() -> {
                        start.await();
                        files.newOutputFile(file.toString()).create().close();
                        return file;
                    });
                }
                for (Future<Path> file : threads.invokeAll(writers)) {
                    assertThat(file.get()).exists();
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
