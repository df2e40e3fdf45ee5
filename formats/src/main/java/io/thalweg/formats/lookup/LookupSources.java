package io.thalweg.formats.lookup;

import io.thalweg.model.Lookup;
import java.io.Serializable;
import java.nio.file.Path;

/**
 * Finds the rows of lookup tables; travels with a job.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface LookupSources extends Serializable {
    /** Tables in Redis. */
    LookupSource redis(Lookup.Redis table, Lookup lookup);

    /** The source of a lookup's table, whatever kind it is of. */
    default LookupSource of(Lookup lookup) {
        return lookup.table() instanceof Lookup.File file
                ? new LookupFile(Path.of(file.path()), file.format(), file.key(), lookup.fields())
                : redis((Lookup.Redis) lookup.table(), lookup);
    }

    /** Files only. */
    static LookupSources files() {
        return (table, lookup) -> {
            throw new IllegalArgumentException("lookup " + table.name() + ": only tables in files can be read here");
        };
    }
}
