package io.thalweg.live;

import java.io.IOException;
import java.util.List;

/** Finds where a job's shards are at present. */
@FunctionalInterface
public interface LiveRoutes {
    /**
     * All that are known; none where no job runs. Called again whenever a route turns out wrong.
     *
     * @throws IOException if the source of the routes does not answer
     */
    List<LiveRoute> find() throws IOException;
}
