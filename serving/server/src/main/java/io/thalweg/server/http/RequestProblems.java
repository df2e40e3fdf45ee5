package io.thalweg.server.http;

import io.thalweg.server.http.RefusedRequestException.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The problems of a request: the first {@value #SHOWN}, and the number of the others. Memory does not depend on their number, and
 * messages are created only for those that are kept.
 *
 * <p><b>Threads.</b> One.
 */
public final class RequestProblems {
    /** The number of problems that a caller is shown. */
    static final int SHOWN = 20;

    private final List<Problem> shown = new ArrayList<>();
    private int count;

    public void add(String path, String message) {
        add(path, () -> message);
    }

    public void add(String path, Supplier<String> message) {
        count++;
        if (count <= SHOWN) {
            shown.add(new Problem(path, message.get()));
        }
    }

    public int count() {
        return count;
    }

    /** Throws a {@link RefusedRequestException} with all of them, if there are any. */
    public void throwIfAny() {
        if (count > 0) {
            throw RefusedRequestException.of(shown, count);
        }
    }
}
