package io.thalweg.live.inspect;

import io.thalweg.live.inspect.JobState.Batches;
import io.thalweg.live.inspect.JobState.Filter;
import io.thalweg.live.inspect.JobState.ThreadTime;
import io.thalweg.live.inspect.JobState.Work;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics of Thalweg's operators in one stage. Flink names them by subtask, operator and group: {@code
 * 0.translate.thalweg.ingest.rides.outcome.kept.ingest_events}. See {@code docs/reference/metrics.md}.
 *
 * <p><b>Threads.</b> Not safe.
 */
final class WorkMetrics {
    private static final String KEPT = "outcome.kept.ingest_events";
    private static final String FILTERED = "outcome.filtered.ingest_events";
    private static final String ACCEPTED = "outcome.accepted.events";
    private static final String SKIPPED = "outcome.skipped.events";
    private static final String CONDITIONS = "conditions";
    private static final String TRANSLATE = "stage.translate.ingest_stage_nanos";
    private static final String WRITE = "stage.write.ingest_stage_nanos";
    private static final String WRITES = "writes";
    private static final String ROWS = "loaded_rows";
    private static final String WRITE_NANOS = "write_nanos";
    private static final String MOST = "batch_rows_limit";
    private static final String IN_FLIGHT = "in_flight_limit";
    private static final String TARGET = "target_latency_ms";
    /** These are equal in all subtasks, so they are not added up. */
    private static final Set<String> LIMITS = Set.of(MOST, IN_FLIGHT, TARGET);

    private static final Pattern OF_DEFINITION = Pattern.compile("\\d+\\..*\\.thalweg\\.(?:ingest|view)\\.([^.]+)\\.("
            + String.join(
                            "|",
                            KEPT,
                            FILTERED,
                            ACCEPTED,
                            SKIPPED,
                            CONDITIONS,
                            TRANSLATE,
                            WRITE,
                            WRITES,
                            ROWS,
                            WRITE_NANOS,
                            MOST,
                            IN_FLIGHT,
                            TARGET)
                    .replace(".", "\\.")
            + ")");
    private static final Pattern OF_THREAD =
            Pattern.compile("(\\d+\\.).*\\.thalweg\\.((?:task|fetch)_(?:cpu|waited)_nanos)");

    private final Map<String, Map<String, Long>> byDefinition = new TreeMap<>();
    private final Map<String, Long> threadMs = new HashMap<>();

    /** Whether a metric belongs to this class. */
    static boolean isWork(String id) {
        return OF_DEFINITION.matcher(id).matches() || OF_THREAD.matcher(id).matches();
    }

    void add(String id, long value) {
        Matcher work = OF_DEFINITION.matcher(id);
        if (work.matches()) {
            byDefinition
                    .computeIfAbsent(work.group(1), name -> new HashMap<>())
                    .merge(work.group(2), value, LIMITS.contains(work.group(2)) ? Long::max : Long::sum);
        }
        Matcher thread = OF_THREAD.matcher(id);
        if (thread.matches()) { // each operator of a task reports the task's thread
            threadMs.merge(thread.group(1) + thread.group(2), value / 1_000_000, Long::max);
        }
    }

    /** The thread of a subtask. */
    ThreadTime task(int subtask) {
        return thread(subtask + ".task");
    }

    /** The thread that fetches for a subtask. */
    ThreadTime fetcher(int subtask) {
        return thread(subtask + ".fetch");
    }

    private ThreadTime thread(String name) {
        return new ThreadTime(get(threadMs, name + "_cpu_nanos"), get(threadMs, name + "_waited_nanos"));
    }

    Work work() {
        return new Work(filters(), millis(TRANSLATE), millis(WRITE), batches());
    }

    private long millis(String name) {
        return byDefinition.values().stream().mapToLong(of -> get(of, name)).sum() / 1_000_000;
    }

    private List<Filter> filters() {
        return byDefinition.entrySet().stream()
                .filter(of -> get(of.getValue(), CONDITIONS) > 0)
                .map(of -> new Filter(
                        of.getKey(),
                        get(of.getValue(), KEPT) + get(of.getValue(), ACCEPTED),
                        get(of.getValue(), FILTERED) + get(of.getValue(), SKIPPED)))
                .toList();
    }

    private List<Batches> batches() {
        return byDefinition.entrySet().stream()
                .filter(of -> of.getValue().containsKey(MOST))
                .map(of -> new Batches(
                        of.getKey(),
                        get(of.getValue(), WRITES),
                        get(of.getValue(), ROWS),
                        get(of.getValue(), WRITE_NANOS) / 1_000_000,
                        get(of.getValue(), MOST),
                        get(of.getValue(), IN_FLIGHT),
                        get(of.getValue(), TARGET)))
                .toList();
    }

    private static long get(Map<String, Long> counts, String name) {
        return Objects.requireNonNullElse(counts.get(name), 0L);
    }
}
