package io.thalweg.formats.lookup;

import io.thalweg.formats.EventConditions;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.Projection;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Lookup;
import java.io.IOException;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The open lookup tables of some views. Callers that open the same table under the same owner share it: a job's readers share one
 * copy in each process, which is closed with its last user.
 *
 * <p><b>Threads.</b> Safe, except for {@link #close}, which only the opener calls.
 */
public final class LookupTables implements AutoCloseable {
    private static final Map<Name, Shared> OPEN = new HashMap<>();

    private record Name(String owner, Lookup lookup) {}

    private static final class Shared {
        private final LookupTable table;
        private int users;

        Shared(LookupTable table) {
            this.table = table;
        }
    }

    private final String owner;
    private final Map<Lookup, LookupTable> tables = new LinkedHashMap<>();

    private LookupTables(String owner) {
        this.owner = owner;
    }

    /**
     * Reads all tables that are not open yet, and keeps refreshing them.
     *
     * @param owner name under which they are shared, such as a job
     * @param clock for the age of the rows
     * @throws IOException if one cannot be read; the message names it
     */
    public static LookupTables open(String owner, Collection<FeatureView> views, LookupSources sources, Clock clock)
            throws IOException {
        LookupTables open = new LookupTables(owner);
        try {
            for (FeatureView view : views) {
                for (Lookup lookup : view.lookups()) {
                    open.add(lookup, sources, clock);
                }
            }
        } catch (IOException | RuntimeException e) {
            open.close();
            throw e;
        }
        return open;
    }

    private void add(Lookup lookup, LookupSources sources, Clock clock) throws IOException {
        if (tables.containsKey(lookup)) {
            return;
        }
        synchronized (OPEN) { // also during the read: a concurrent caller waits for the same table
            Name name = new Name(owner, lookup);
            Shared shared = OPEN.get(name);
            if (shared == null) {
                Lookup.Table table = lookup.table();
                shared = new Shared(LookupTable.open(
                        sources.of(lookup),
                        lookup.fields().size(),
                        table.refresh().duration(),
                        table.maxRows(),
                        clock));
                OPEN.put(name, shared);
            }
            shared.users++;
            tables.put(lookup, shared.table);
        }
    }

    /** Returns the table of each lookup, in the order of the views. */
    public Map<Lookup, LookupTable> all() {
        return new LinkedHashMap<>(tables);
    }

    /**
     * Creates a decoder that also fills the columns of a projection's lookups, except for events that all of its views skip
     * anyway.
     *
     * @throws IllegalArgumentException if one of them is not open here
     */
    public EventDecoder joined(EventDecoder decoder, Projection projection) {
        if (projection.joins().isEmpty()) {
            return decoder;
        }
        List<LookupDecoder.Join> joins =
                projection.joins().stream().map(this::bound).toList();
        return new LookupDecoder(decoder, EventConditions.of(projection), joins);
    }

    private LookupDecoder.Join bound(Projection.Join join) {
        LookupTable table = tables.get(join.lookup());
        if (table == null) {
            throw new IllegalArgumentException(
                    "the table of lookup " + join.lookup().table().name() + " is not open");
        }
        FieldKind miss = join.lookup().dropsMisses() ? FieldKind.MISSING : FieldKind.NULL;
        return new LookupDecoder.Join(table, join.key(), join.first(), miss);
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            for (Lookup lookup : tables.keySet()) {
                Name name = new Name(owner, lookup);
                Shared shared = OPEN.get(name);
                if (shared != null && --shared.users == 0) {
                    OPEN.remove(name);
                    shared.table.close();
                }
            }
            tables.clear();
        }
    }
}
