package io.thalweg.qalm.registry;

import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where rules come from, and where they are kept.
 *
 * @param file the document that operators edit on this machine, watched; null if there is none
 * @param control the address, http or https, of one document for many machines; null if there is none. Any server will do that
 *     answers with the document and an {@code ETag}
 * @param folder where the registry keeps what is in force; made if it is not there
 */
public record Sources(@Nullable Path file, @Nullable URI control, Path folder) {
    public Sources {
        if (control != null && !isAddress(control)) {
            // Not as it is: it may hold a password.
            throw new IllegalArgumentException(
                    "control must be an address such as http://localhost:8000/qalm.yaml, without"
                            + " user and password, was " + control.getScheme() + "://…" + control.getHost());
        }
    }

    private static boolean isAddress(URI uri) {
        boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
        return http && uri.getHost() != null && uri.getRawUserInfo() == null && uri.getRawFragment() == null;
    }

    /** A file, or nothing but what people say through {@link Registry#change}. */
    public static Sources local(@Nullable Path file, Path folder) {
        return new Sources(file, null, folder);
    }
}
