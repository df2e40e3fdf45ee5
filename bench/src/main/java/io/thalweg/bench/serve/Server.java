package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Child;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A server: a process that listens on a port, and its workers, if it has any. */
record Server(Child process, int port) implements AutoCloseable {
    /** The CPU time of all its processes so far. */
    Duration processorTime() {
        return processes()
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    private Stream<ProcessHandle> processes() {
        return ProcessHandle.of(process.pid()).stream()
                .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()));
    }

    @Override
    public void close() {
        List<ProcessHandle> all = processes().toList();
        process.close();
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
