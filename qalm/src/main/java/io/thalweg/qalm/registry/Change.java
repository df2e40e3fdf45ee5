package io.thalweg.qalm.registry;

import java.time.Instant;
import java.util.List;

/**
 * One entry of the audit trail.
 *
 * @param version of the document it made
 * @param time when it took effect
 * @param author who made it: a person's name, or {@code file}
 * @param details what changed, one line each: {@code path: before → after}
 */
public record Change(long version, Instant time, String author, List<String> details) {
    public Change {
        details = List.copyOf(details);
    }
}
