package io.thalweg.store.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.AsyncCommand;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.ExampleKeys;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.PerView;
import io.thalweg.store.ReadRows;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The store in a Redis server, which Redis Sentinel may name, or a Redis Cluster. Any number of processes may share it.
 *
 * <p><b>Order rule.</b> A Lua script compares and writes on the server, so it holds with any number of writers.
 *
 * <p><b>Expiry.</b> By this store's clock: the server receives a key's time to live instead of its end, and a minute more than the
 * rows need. So a server clock that differs from this one (which may be simulated or wrong) changes nothing.
 *
 * <p><b>Away.</b> While a server is unreachable, reads fail at once, those of a cluster within 2 s. Writes wait for it up to
 * {@value #PATIENCE_SECONDS} s and block their caller meanwhile. Nothing is lost that the server did not lose.
 *
 * <p><b>Durability.</b> Completed writes are as durable as the server is configured to be (replicas, {@code appendfsync});
 * {@link #flush} adds nothing.
 *
 * <p><b>Threads.</b> Safe. Each writing thread has at most {@value RedisRows#IN_FLIGHT} calls of at most 100 rows in flight.
 */
public final class RedisOnlineStore implements OnlineStore {
    private static final int PATIENCE_SECONDS = 20;
    private static final int WRITERS = 4;
    private final RedisLink link;
    private final String project;
    private final RedisRegions places;
    private final PerView<RedisRows.Access> accesses;
    private final LongAdder expiredRows = new LongAdder();
    private volatile boolean closed;

    private RedisOnlineStore(RedisLink link, String project, Clock clock) {
        this.link = link;
        this.project = project;
        this.places = new RedisRegions(link, project, clock);
        this.accesses = new PerView<>(view -> RedisRows.Access.of(link, project, clock, expiredRows, view));
    }

    /**
     * Connects to a store.
     *
     * @param project the prefix of all keys
     * @param clock decides what has expired
     * @throws StoreException if the server cannot be reached or refuses; the message names the address, never the password
     */
    public static RedisOnlineStore open(DeploymentConfig.RedisServer server, String project, Clock clock) {
        return open(server, project, clock, Duration.ofSeconds(PATIENCE_SECONDS));
    }

    /** The same for an address alone. */
    public static RedisOnlineStore open(URI uri, String project, Clock clock) {
        return open(new DeploymentConfig.RedisServer(uri, null), project, clock);
    }

    static RedisOnlineStore open(DeploymentConfig.RedisServer server, String project, Clock clock, Duration patience) {
        return new RedisOnlineStore(new RedisLink(server, RedisLink.Naming.STORE, patience, WRITERS), project, clock);
    }

    @Override
    public void write(FeatureView view, List<? extends RowBlock> blocks) {
        requireOpen("writing rows of " + view.qualifiedName());
        blocks.forEach(block -> OnlineStore.requireView(view, block));
        rows(view).write(blocks);
        places.note(view, blocks);
    }

    private RedisRows rows(FeatureView view) {
        return RedisRows.of(accesses.of(view));
    }

    @Override
    public void writeProgress(Progress record) {
        if (record.shard() < 0 || record.shard() >= record.shards()) {
            throw new IllegalArgumentException("progress.shard must be from 0 to shards - 1, was " + record);
        }
        byte[] key = RedisKeys.progress(project, record.view());
        byte[][] arguments = {number(record.shard()), number(record.shards()), number(record.windowEndMs())};
        String doing = "writing progress of " + record.view();
        requireOpen(doing);
        Calls calls = new Calls(link, doing, 1);
        calls.send(Script.WRITE_PROGRESS, new byte[][] {key}, arguments);
        calls.settle();
    }

    @Override
    public void flush() {
        requireOpen("flushing");
    }

    @Override
    public ReadRows read(FeatureView view, List<StoreKey> keys) {
        requireOpen("reading rows of " + view.qualifiedName());
        return rows(view).read(keys);
    }

    @Override
    public ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        requireOpen("reading rows of " + view.qualifiedName());
        return rows(view).readAsOf(keys, asOfMs);
    }

    @Override
    public ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
        requireOpen("reading rows of " + view.qualifiedName());
        OnlineStore.requireHistoryOfCells(view);
        return rows(view).readHistory(key, endsMs);
    }

    /** Lists keys of the packed layout only: a hash of one of Feast's layouts is shared by views. */
    @Override
    public List<List<Object>> exampleKeys(FeatureView view, String prefix, int most) {
        requireOpen("listing keys of " + view.qualifiedName());
        ExampleKeys keys = new ExampleKeys(view, prefix, most);
        rows(view).list(keys);
        return keys.found();
    }

    @Override
    public List<Coverage> coverage(FeatureView view) {
        requireOpen("listing places of " + view.qualifiedName());
        return places.coverage(view);
    }

    @Override
    public OptionalLong watermark(String view) {
        String doing = "reading progress of " + view;
        requireOpen(doing);
        Pipeline asked = new Pipeline(link, doing);
        asked.watermark(RedisKeys.progress(project, view));
        asked.send();
        return asked.watermarkMs();
    }

    @Override
    public Optional<String> alias(String name) {
        String doing = "reading the alias " + name;
        requireOpen(doing);
        Pipeline asked = new Pipeline(link, doing);
        AsyncCommand<byte[], byte[], List<byte @Nullable []>> value = asked.value(RedisKeys.alias(project, name));
        asked.send();
        return asked.value(value).map(view -> new String(view, UTF_8));
    }

    @Override
    public void setAlias(String name, String view) {
        String doing = "setting the alias " + name;
        requireOpen(doing);
        Calls calls = new Calls(link, doing, 1);
        calls.send(
                Script.WRITE_ALIAS, new byte[][] {RedisKeys.alias(project, name)}, new byte[][] {view.getBytes(UTF_8)});
        calls.settle();
    }

    @Override
    public long expiredRows() {
        return expiredRows.sum();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            link.close();
        }
    }

    private void requireOpen(String doing) {
        if (closed) {
            throw new StoreException("the store " + link.place() + " is closed, it cannot go on " + doing);
        }
    }

    private static byte[] number(long number) {
        return ascii(Long.toString(number));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }
}
