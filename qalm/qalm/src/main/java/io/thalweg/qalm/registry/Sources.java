package io.thalweg.qalm.registry;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The sources of rules and the folder that stores them.
 *
 * @param notation the notation of the documents; {@code thalweg-qalm-yaml} provides YAML
 * @param file a document that operators edit on this machine, polled for changes; null for none
 * @param control the address, http or https, of one document for many machines; null for none. Any server that returns the
 *     document and an {@code ETag} will do
 * @param folder the folder where the registry stores the rules in force and the audit trail; created if missing
 */
public record Sources(
        Notation notation, @Nullable Path file, @Nullable URI control, Path folder) {
    public Sources {
        if (control != null && !isAddress(control)) {
            // The message does not contain the whole address, which may include a password.
            throw new IllegalArgumentException(
                    "control must be an address such as http://localhost:8000/qalm.yaml, without"
                            + " user and password, was " + control.getScheme() + "://…" + control.getHost());
        }
    }

    private static boolean isAddress(URI uri) {
        boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        return http && uri.getHost() != null && uri.getRawUserInfo() == null && uri.getRawFragment() == null;
    }
}
