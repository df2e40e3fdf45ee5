package io.thalweg.live;

import java.io.IOException;
import java.util.List;

/** Locates a job's shards. */
@FunctionalInterface
public interface LiveRoutes {
    /**
     * Returns all known routes; none if no job runs. Called again whenever a route turns out wrong.
     *
     * @throws IOException if the source of the routes does not answer
     */
    List<LiveRoute> find() throws IOException;
}
