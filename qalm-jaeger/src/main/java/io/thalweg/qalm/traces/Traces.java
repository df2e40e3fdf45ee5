package io.thalweg.qalm.traces;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Traces, collected from files and from {@link JaegerClient}; the same span may come more than once. All are kept in memory, some
 * 500 bytes a span.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class Traces {
    /** A trace is seldom deeper; a chain that bites its tail is endless. */
    private static final int DEPTH_MAX = 1_000;

    private final Map<String, Map<String, List<Span>>> traces = new HashMap<>();
    private final List<Span> servers = new ArrayList<>();

    /**
     * Adds the traces of a document: Jaeger's JSON or OTLP's.
     *
     * @param name what messages call it
     * @throws TraceException if it is neither
     */
    public void add(String name, InputStream document) {
        new SpanReader(name, this::add).read(document);
    }

    /** Adds a span unless it is known. In Zipkin's manner both sides of a call may share one id. */
    void add(Span span) {
        List<Span> same = traces.computeIfAbsent(span.traceId(), id -> new HashMap<>())
                .computeIfAbsent(span.spanId(), id -> new ArrayList<>(1));
        boolean known = same.stream()
                .anyMatch(other ->
                        other.kind().equals(span.kind()) && other.service().equals(span.service()));
        if (!known) {
            same.add(span);
            if (span.isServer()) {
                servers.add(span);
            }
        }
    }

    /** How many traces there are. */
    public int count() {
        return traces.size();
    }

    /** The spans in which somebody serves a call. */
    List<Span> servers() {
        return servers;
    }

    /** The span that called: the nearest ancestor of another service. Null if nobody is known. */
    @Nullable
    Span caller(Span served) {
        return ancestors(served).stream()
                .filter(span -> !span.service().equals(served.service()))
                .findFirst()
                .orElse(null);
    }

    /** What led to a span, the nearest first. */
    List<Span> ancestors(Span span) {
        Map<String, List<Span>> trace = traces.getOrDefault(span.traceId(), Map.of());
        List<Span> ancestors = new ArrayList<>();
        Set<Span> seen = new HashSet<>(List.of(span));
        Span at = span;
        for (int depth = 0; at != null && depth < DEPTH_MAX; depth++) {
            at = next(trace, at, seen);
            if (at != null) {
                ancestors.add(at);
                seen.add(at);
            }
        }
        return ancestors;
    }

    private static @Nullable Span next(Map<String, List<Span>> trace, Span at, Set<Span> seen) {
        if (at.isServer()) {
            for (Span other : trace.getOrDefault(at.spanId(), List.of())) {
                if (other.kind().equals("client") && !seen.contains(other)) {
                    return other;
                }
            }
        }
        String parent = at.parentId();
        List<Span> parents = parent == null ? List.of() : trace.getOrDefault(parent, List.of());
        return parents.stream()
                .filter(candidate -> !seen.contains(candidate))
                .reduce((one, other) -> one.isServer() && one.service().equals(at.service()) ? one : other)
                .orElse(null);
    }
}
