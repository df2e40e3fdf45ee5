package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.protocol.internal.util.Bytes;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RegionNotes;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The places that contain rows of views with cells. By its write time, the latest window end of a place wins. A note expires after the
 * rows that are written until the next note.
 *
 * <p><b>Threads.</b> Safe.
 */
final class RegionsTable {
    private static final int AT_ONCE = 128;

    private final CassandraLink link;
    private final Schema schema;
    private final Clock clock;
    private final RegionNotes notes = new RegionNotes();

    RegionsTable(CassandraLink link, Schema schema, Clock clock) {
        this.link = link;
        this.schema = schema;
        this.clock = clock;
    }

    /** Notes the places of blocks, unless they are noted already. */
    void note(FeatureView view, List<? extends RowBlock> blocks) {
        long nowMs = clock.millis();
        notes.note(view, blocks, nowMs, due -> write(view, due, nowMs));
    }

    private void write(FeatureView view, List<Coverage> due, long nowMs) {
        Schema.Noted statements = Objects.requireNonNull(schema.places(true));
        long oldestMs = RegionNotes.oldestMs(view, nowMs);
        String doing = "noting places of " + view.qualifiedName();
        GroupCodec groups = new GroupCodec(view.group());
        List<CompletionStage<AsyncResultSet>> sent = new ArrayList<>();
        for (Coverage place : due) {
            sent.add(link.write(statements
                    .insert()
                    .bind(
                            view.qualifiedName(),
                            place.tile(),
                            ByteBuffer.wrap(groups.encode(place.group())),
                            Instant.ofEpochMilli(place.lastEndMs()),
                            TimeUnit.MILLISECONDS.toMicros(place.lastEndMs()),
                            RowWrites.lifeSeconds(place.lastEndMs(), oldestMs))));
            if (sent.size() == AT_ONCE) {
                settle(sent, doing);
            }
        }
        settle(sent, doing);
    }

    private void settle(List<CompletionStage<AsyncResultSet>> sent, String doing) {
        for (CompletionStage<AsyncResultSet> each : sent) {
            AsyncResultSet unused = link.await(each, doing);
        }
        sent.clear();
    }

    /** As {@link OnlineStore#coverage(FeatureView)}. */
    List<Coverage> coverage(FeatureView view) {
        OnlineStore.requireCells(view);
        Schema.Noted statements = schema.places(false);
        if (statements == null) {
            return List.of();
        }
        long oldestMs = RegionNotes.oldestMs(view, clock.millis());
        String doing = "listing places of " + view.qualifiedName();
        GroupCodec groups = new GroupCodec(view.group());
        List<Coverage> found = new ArrayList<>();
        AsyncResultSet page = link.await(link.read(statements.select().bind(view.qualifiedName())), doing);
        while (true) {
            for (Row row : page.currentPage()) {
                long endMs =
                        Objects.requireNonNull(row.getInstant("window_end")).toEpochMilli();
                if (endMs >= oldestMs) {
                    byte[] group = Bytes.getArray(row.getByteBuffer("place"));
                    found.add(new Coverage(row.getLong("tile"), groups.decode(group), endMs));
                }
            }
            if (!page.hasMorePages()) {
                return found;
            }
            page = link.await(page.fetchNextPage(), doing);
        }
    }
}
