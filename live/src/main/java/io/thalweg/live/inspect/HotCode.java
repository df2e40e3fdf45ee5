package io.thalweg.live.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * Which code of this process computes and allocates, as JDK Flight Recorder samples it. What a method of the JDK does counts for the method
 * that calls it.
 *
 * @param computes by samples of threads that compute, every 20 ms
 * @param allocates by bytes
 */
public record HotCode(List<Site> computes, List<Site> allocates) {
    private static final Duration PERIOD = Duration.ofMillis(20);
    private static final String COMPUTES = "jdk.ExecutionSample";
    private static final String ALLOCATES = "jdk.ObjectAllocationSample";
    private static final int SITES = 5;
    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.");
    private static final AtomicBoolean RECORDS = new AtomicBoolean();

    public HotCode {
        computes = List.copyOf(computes);
        allocates = List.copyOf(allocates);
    }

    /**
     * A method with a share of all samples.
     *
     * @param method its class and its name, {@code io.acme.Enrich.apply}
     */
    public record Site(String method, double share) {}

    /**
     * Records this process for a while; empty if it is recorded already.
     *
     * @throws IOException if the recorder cannot write its file
     */
    public static Optional<HotCode> record(Duration span) throws IOException, InterruptedException {
        if (!RECORDS.compareAndSet(false, true)) {
            return Optional.empty();
        }
        try {
            Path file = Files.createTempFile("thalweg-", ".jfr");
            try {
                record(span, file);
                return Optional.of(read(file));
            } finally {
                Files.deleteIfExists(file);
            }
        } finally {
            RECORDS.set(false);
        }
    }

    private static void record(Duration span, Path file) throws IOException, InterruptedException {
        try (Recording recording = new Recording()) {
            recording.enable(COMPUTES).withPeriod(PERIOD);
            recording.enable(ALLOCATES).with("throttle", "500/s");
            recording.start();
            TimeUnit.NANOSECONDS.sleep(span.toNanos());
            recording.stop();
            recording.dump(file);
        }
    }

    private static HotCode read(Path file) throws IOException {
        Map<String, Double> computes = new HashMap<>();
        Map<String, Double> allocates = new HashMap<>();
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                String method = method(event);
                if (method == null) {
                    continue;
                }
                if (event.getEventType().getName().equals(ALLOCATES)) {
                    allocates.merge(method, (double) event.getLong("weight"), Double::sum);
                } else if (event.getEventType().getName().equals(COMPUTES)) {
                    computes.merge(method, 1.0, Double::sum);
                }
            }
        }
        return new HotCode(sites(computes), sites(allocates));
    }

    /** The innermost method that is not of the JDK, or else the innermost; null without a stack. */
    private static @Nullable String method(RecordedEvent event) {
        if (event.getStackTrace() == null || event.getStackTrace().getFrames().isEmpty()) {
            return null;
        }
        List<String> methods = event.getStackTrace().getFrames().stream()
                .map(RecordedFrame::getMethod)
                .map(HotCode::name)
                .toList();
        return methods.stream()
                .filter(method -> JDK.stream().noneMatch(method::startsWith))
                .findFirst()
                .orElse(methods.get(0));
    }

    private static String name(RecordedMethod method) {
        return method.getType().getName() + "." + method.getName();
    }

    private static List<Site> sites(Map<String, Double> weights) {
        double all = weights.values().stream().mapToDouble(Double::doubleValue).sum();
        return weights.entrySet().stream()
                .map(weight -> new Site(weight.getKey(), weight.getValue() / all))
                .sorted(Comparator.comparingDouble(Site::share).reversed().thenComparing(Site::method))
                .limit(SITES)
                .toList();
    }
}
