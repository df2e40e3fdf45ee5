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
 * Traces from files and from {@link JaegerClient}; duplicate spans are ignored. Held in memory, about 500 bytes per span.
 *
 * <p><b>Threads.</b> One at a time.
 */
public final class Traces {
    /** Traces are seldom deeper; parent references may form a cycle. */
    private static final int DEPTH_MAX = 1_000;

    private final Map<String, Map<String, List<Span>>> traces = new HashMap<>();
    private final List<Span> servers = new ArrayList<>();

    /**
     * Adds the traces of a document: Jaeger's JSON or OTLP's.
     *
     * @param name of the document, for messages
     * @throws TraceException if it is neither
     */
    public void add(String name, InputStream document) {
        new SpanReader(name, this::add).read(document);
    }

    /** Adds a span unless it is a duplicate. As in Zipkin, both sides of a call may share an id. */
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

    /** The number of traces. */
    public int count() {
        return traces.size();
    }

    /** The spans of kind server. */
    List<Span> servers() {
        return servers;
    }

    /** Returns the calling span: the nearest ancestor of another service; null if there is none. */
    @Nullable
    Span caller(Span served) {
        return ancestors(served).stream()
                .filter(span -> !span.service().equals(served.service()))
                .findFirst()
                .orElse(null);
    }

    /** The ancestors of a span, nearest first. */
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
