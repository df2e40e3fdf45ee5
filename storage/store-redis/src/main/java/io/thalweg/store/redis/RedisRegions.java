package io.thalweg.store.redis;

import io.lettuce.core.ScoredValue;
import io.lettuce.core.protocol.AsyncCommand;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RegionNotes;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.List;

/**
 * The places that contain rows of views with cells. Each view has a sorted set. A member is a tile's index (8 bytes) and the bytes of the
 * group; its score is the time of the note.
 *
 * <p><b>Threads.</b> Safe.
 */
final class RedisRegions {
    private static final int AT_ONCE = 500;

    private final RedisLink link;
    private final String project;
    private final Clock clock;
    private final RegionNotes notes = new RegionNotes();

    RedisRegions(RedisLink link, String project, Clock clock) {
        this.link = link;
        this.project = project;
        this.clock = clock;
    }

    /** Notes the places of blocks, unless they are noted already. */
    void note(FeatureView view, List<? extends RowBlock> blocks) {
        long nowMs = clock.millis();
        notes.note(view, blocks, nowMs, due -> write(view, due, nowMs));
    }

    private void write(FeatureView view, List<Coverage> due, long nowMs) {
        long oldestMs = RegionNotes.oldestMs(view, nowMs);
        GroupCodec groups = new GroupCodec(view.group());
        Calls calls = new Calls(link, "noting places of " + view.qualifiedName(), 1);
        for (int from = 0; from < due.size(); from += AT_ONCE) {
            List<Coverage> some = due.subList(from, Math.min(due.size(), from + AT_ONCE));
            byte[][] arguments = new byte[2 + 2 * some.size()][];
            long newestMs = some.stream().mapToLong(Coverage::lastEndMs).max().orElseThrow();
            arguments[0] = Expiry.lives(newestMs, oldestMs);
            arguments[1] = Expiry.decimals(oldestMs);
            for (int i = 0; i < some.size(); i++) {
                arguments[2 + 2 * i] = Expiry.decimals(some.get(i).lastEndMs());
                arguments[3 + 2 * i] = member(some.get(i), groups);
            }
            calls.send(Script.WRITE_PLACES, new byte[][] {key(view)}, arguments);
        }
        calls.settle();
    }

    /** As {@link OnlineStore#coverage(FeatureView)}. */
    List<Coverage> coverage(FeatureView view) {
        OnlineStore.requireCells(view);
        GroupCodec groups = new GroupCodec(view.group());
        Pipeline asked = new Pipeline(link, "listing places of " + view.qualifiedName());
        AsyncCommand<byte[], byte[], List<ScoredValue<byte[]>>> members =
                asked.from(key(view), RegionNotes.oldestMs(view, clock.millis()));
        asked.send();
        return asked.members(members).stream()
                .map(member -> coverage(member, groups))
                .toList();
    }

    private byte[] key(FeatureView view) {
        return RedisKeys.places(project, view.qualifiedName());
    }

    private static byte[] member(Coverage place, GroupCodec groups) {
        byte[] group = groups.encode(place.group());
        return ByteBuffer.allocate(Long.BYTES + group.length)
                .putLong(place.tile())
                .put(group)
                .array();
    }

    private static Coverage coverage(ScoredValue<byte[]> member, GroupCodec groups) {
        ByteBuffer bytes = ByteBuffer.wrap(member.getValue());
        long tile = bytes.getLong();
        byte[] group = new byte[bytes.remaining()];
        bytes.get(group);
        return new Coverage(tile, groups.decode(group), (long) member.getScore());
    }
}
