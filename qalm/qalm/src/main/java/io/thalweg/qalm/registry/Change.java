package io.thalweg.qalm.registry;

import java.time.Instant;
import java.util.List;

/**
 * An entry of the audit trail.
 *
 * @param version the version that the change created
 * @param time when it took effect
 * @param author the author of the change: a person's name, {@code file} or {@code control}
 * @param details what changed, one line each: {@code path: before → after}
 */
public record Change(long version, Instant time, String author, List<String> details) {
    public Change {
        details = List.copyOf(details);
    }
}
