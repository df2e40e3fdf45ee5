package io.thalweg.formats.lookup;

import io.thalweg.model.view.Lookup;
import java.io.Serializable;
import java.nio.file.Path;

/**
 * Provides the sources of lookup tables; shipped with a job.
 *
 * <p><b>Threads.</b> Safe.
 */
@FunctionalInterface
public interface LookupSources extends Serializable {
    /** Returns the source of a table in Redis. */
    LookupSource redis(Lookup.Redis table, Lookup lookup);

    /** Returns the source of a lookup's table of any kind. */
    default LookupSource of(Lookup lookup) {
        return lookup.table() instanceof Lookup.File file
                ? new LookupFile(Path.of(file.path()), file.format(), file.key(), lookup.fields())
                : redis((Lookup.Redis) lookup.table(), lookup);
    }

    /** Creates sources that support files only. */
    static LookupSources files() {
        return (table, lookup) -> {
            throw new IllegalArgumentException("lookup " + table.name() + ": only tables in files can be read here");
        };
    }
}
