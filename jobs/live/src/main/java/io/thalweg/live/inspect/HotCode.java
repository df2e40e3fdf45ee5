package io.thalweg.live.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * The methods of this process that use the most CPU and allocate the most, as JDK Flight Recorder samples them. Methods of the JDK are
 * attributed to their caller.
 *
 * @param computes by samples of threads that compute, every 20 ms
 * @param allocates by bytes
 */
public record HotCode(List<Site> computes, List<Site> allocates) {
    private static final Duration PERIOD = Duration.ofMillis(20);
    private static final String COMPUTES = "jdk.ExecutionSample";
    private static final String ALLOCATES = "jdk.ObjectAllocationSample";
    private static final int SITES = 5;
    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");
    /** Excluded, because starting the recorder allocates more than an idle process. */
    private static final String SELF = HotCode.class.getName() + ".";

    private static final AtomicBoolean RECORDING = new AtomicBoolean();

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
        if (!RECORDING.compareAndSet(false, true)) {
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
            RECORDING.set(false);
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
        } catch (IllegalStateException e) {
            throw new IOException("JDK Flight Recorder cannot be used: " + e.getMessage(), e);
        }
    }

    private static HotCode read(Path file) throws IOException {
        Map<String, Double> computes = new HashMap<>();
        Map<String, Double> allocates = new HashMap<>();
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                String method = method(event);
                if (method == null || method.startsWith(SELF)) {
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

    /** Returns the innermost method outside the JDK, or the innermost if there is none; null without a stack. */
    private static @Nullable String method(RecordedEvent event) {
        if (event.getStackTrace() == null) {
            return null;
        }
        List<String> methods = event.getStackTrace().getFrames().stream()
                .map(RecordedFrame::getMethod)
                .filter(Objects::nonNull)
                .map(HotCode::name)
                .toList();
        return methods.stream()
                .filter(method -> JDK.stream().noneMatch(method::startsWith))
                .findFirst()
                .orElse(methods.isEmpty() ? null : methods.get(0));
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
