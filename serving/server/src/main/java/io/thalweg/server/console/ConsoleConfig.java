package io.thalweg.server.console;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the console shows besides the data.
 *
 * @param basemap GeoJSON file that the map draws below its hexagons; null = none
 * @param labels names of the values of entities, by the entity's name
 * @param clock the name of the clock that events are stamped with
 */
public record ConsoleConfig(@Nullable Path basemap, Map<String, Map<String, String>> labels, String clock) {
    /** Values without names, in UTC. */
    public static final ConsoleConfig DEFAULT = new ConsoleConfig(null, Map.of(), "UTC");

    public ConsoleConfig {
        labels = Map.copyOf(labels);
    }
}
