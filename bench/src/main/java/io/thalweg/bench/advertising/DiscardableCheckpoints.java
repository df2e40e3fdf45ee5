package io.thalweg.bench.advertising;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStateOutputStream;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CheckpointStorageFactory;
import org.apache.flink.runtime.state.CheckpointStorageLocationReference;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.CheckpointedStateScope;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FsCheckpointStorageAccess;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;

/**
 * Checkpoints in files, as Flink keeps them, but for one that is only made: its state is serialised as ever and goes nowhere. So it
 * can be measured what serialising costs and what the disk does. Flink finds this by its name; jobs of one process at a time.
 */
public final class DiscardableCheckpoints implements CheckpointStorageFactory<CheckpointStorage> {
    private static final LongAdder BYTES = new LongAdder();
    private static final LongAdder CPU_NANOS = new LongAdder();
    private static volatile boolean discarding;

    /** Whether the state of checkpoints that begin from now on is thrown away. */
    static void discard(boolean all) {
        discarding = all;
    }

    /** Bytes of state thrown away so far. */
    static long discardedBytes() {
        return BYTES.sum();
    }

    /** Processor time of the threads that wrote them, from each stream's begin to its end. */
    static long discardedCpuNanos() {
        return CPU_NANOS.sum();
    }

    @Override
    public CheckpointStorage createFromConfig(ReadableConfig configuration, ClassLoader classes) {
        return new Storage(configuration.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY));
    }

    private record Storage(String folder) implements CheckpointStorage {
        @Override
        public CompletedCheckpointStorageLocation resolveCheckpoint(String pointer) throws IOException {
            return new FileSystemCheckpointStorage(folder).resolveCheckpoint(pointer);
        }

        @Override
        public CheckpointStorageAccess createCheckpointStorage(JobID job) throws IOException {
            return new Access(new Path(folder), job);
        }
    }

    private static final class Access extends FsCheckpointStorageAccess {
        private static final int INLINE_BYTES = 20 * 1024;
        private static final int BUFFER_BYTES = 1 << 16;

        Access(Path folder, JobID job) throws IOException {
            super(folder, null, job, INLINE_BYTES, BUFFER_BYTES);
        }

        @Override
        public CheckpointStreamFactory resolveCheckpointStorageLocation(
                long checkpoint, CheckpointStorageLocationReference reference) throws IOException {
            return discarding ? new Nowhere() : super.resolveCheckpointStorageLocation(checkpoint, reference);
        }
    }

    private static final class Nowhere implements CheckpointStreamFactory {
        @Override
        public CheckpointStateOutputStream createCheckpointStateOutputStream(CheckpointedStateScope scope) {
            return new Discarded();
        }

        @Override
        public boolean canFastDuplicate(StreamStateHandle handle, CheckpointedStateScope scope) {
            return false;
        }

        @Override
        public List<StreamStateHandle> duplicate(List<StreamStateHandle> handles, CheckpointedStateScope scope) {
            throw new UncheckedIOException(new IOException("what was thrown away cannot be copied"));
        }
    }

    private static final class Discarded extends CheckpointStateOutputStream {
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

        private final long beganCpuNanos = THREADS.getCurrentThreadCpuTime();
        private long written;

        @Override
        public void write(int b) {
            written++;
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            written += length;
        }

        @Override
        public long getPos() {
            return written;
        }

        @Override
        public void flush() {
            // Nothing is kept.
        }

        @Override
        public void sync() {
            // Nothing is kept.
        }

        @Override
        public StreamStateHandle closeAndGetHandle() {
            BYTES.add(written);
            CPU_NANOS.add(THREADS.getCurrentThreadCpuTime() - beganCpuNanos);
            return new ByteStreamStateHandle("discarded", new byte[0]);
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
