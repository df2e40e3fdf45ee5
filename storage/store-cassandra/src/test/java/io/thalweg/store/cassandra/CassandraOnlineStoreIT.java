package io.thalweg.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.TraceEvent;
import com.datastax.oss.protocol.internal.util.Bytes;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.OnlineStoreContract;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import io.thalweg.testing.Await;
import io.thalweg.testing.FakeClock;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The contract against one node, and tests specific to Cassandra. */
@Tag("faults")
class CassandraOnlineStoreIT extends OnlineStoreContract {
    private static final String KEYSPACE = "contract";
    private static final String DEMAND = KEYSPACE + ".demand";

    private boolean opened;

    @Override
    protected OnlineStore open(Clock clock) {
        if (!opened) {
            opened = true;
            TestNode.empty(KEYSPACE);
        }
        return openedBy(clock);
    }

    private static CassandraOnlineStore openedBy(Clock clock) {
        return CassandraOnlineStore.open(TestNode.NODE.where(KEYSPACE), clock);
    }

    @Override
    protected void damage(FeatureView view, StoreKey key, byte[] value) {
        CassandraKeys names = CassandraKeys.of(view);
        TestNode.cql(
                "INSERT INTO %s.%s (key, layout, cell, row) VALUES (?, ?, ?, ?) USING TIMESTAMP ?"
                        .formatted(KEYSPACE, CassandraTable.newestName(view)),
                names.key(key),
                RowCodec.of(view).layout(),
                names.cell(key),
                ByteBuffer.wrap(value),
                T0 * 1_000);
    }

    private static List<Row> rows(String cql, Object... values) {
        return TestNode.cql(cql, values).all();
    }

    @Test
    void write_neighbouringCells_standInOneReadablePartition() {
        FeatureView view = latestOnly();
        store.write(
                view,
                List.of(block(view, T0, Finality.FINAL, cell(8), 1), block(view, T0, Finality.FINAL, cell(48), 2)));

        List<Row> rows = rows("SELECT key, cell, writetime(row) AS written, ttl(row) AS lives FROM " + DEMAND);

        assertThat(rows).hasSize(2).allSatisfy(row -> {
            assertThat(Bytes.toHexString(row.getByteBuffer("key")))
                    .isEqualTo("0x0872a00000ffffff17a2b60c29dd5f7695f3b65da5cbbdbe");
            assertThat(row.getLong("written")).isEqualTo(T0 * 1_000 - 1);
            assertThat(row.getInt("lives")).isBetween(600, 660);
        });
        assertThat(rows).extracting(row -> row.getShort("cell")).containsExactly((short) 11, (short) 66);
    }

    @Test
    void write_latestOnly_keepsOneRowOfAKey() {
        FeatureView view = latestOnly();
        for (int minute : new int[] {0, 3, 1, 4, 2}) {
            store.write(view, List.of(block(view, T0 + minute * MINUTE, Finality.FINAL, cell(0), minute)));
        }
        assertThat(rows("SELECT * FROM " + DEMAND)).hasSize(1);
        assertThat(sums(readOne(view, cell(0)))[0]).isEqualTo(4);
    }

    @Test
    void write_rowThatIsToStayForDecades_isTaken() {
        FeatureView view = view("demand", "20000d");
        store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
        assertThat(rows("SELECT ttl(row) AS lives FROM " + DEMAND).get(0).isNull("lives"))
                .isTrue();
    }

    /** The write time derives from the row's own times, so a writer's wrong clock has no effect. */
    @Test
    void write_clocksOfWritersHoursApart_laterWindowEndStays() {
        FeatureView view = withHistory("1d");
        FakeClock behind = new FakeClock(Instant.ofEpochMilli(T0).minus(Duration.ofHours(5)));
        FakeClock ahead = new FakeClock(Instant.ofEpochMilli(T0).plus(Duration.ofHours(5)));
        try (OnlineStore slow = openedBy(behind);
                OnlineStore fast = openedBy(ahead)) {
            slow.write(view, List.of(block(view, T0 + MINUTE, Finality.FINAL, cell(0), 2)));
            fast.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1)));
            fast.write(view, List.of(block(view, T0, Finality.FINAL, cell(1), 1)));
            slow.write(view, List.of(block(view, T0 + MINUTE, Finality.PARTIAL, cell(1), 2)));
            fast.writeProgress(new Progress("demand", 0, 1, T0 + MINUTE));
            slow.writeProgress(new Progress("demand", 0, 1, T0));
            for (OnlineStore each : List.of(slow, fast, store)) {
                assertThat(present(each.read(view, List.of(key(cell(0)))).rows().get(0))
                                .windowEndMs())
                        .isEqualTo(T0 + MINUTE);
                assertThat(present(each.read(view, List.of(key(cell(1)))).rows().get(0))
                                .windowEndMs())
                        .isEqualTo(T0 + MINUTE);
                assertThat(each.watermark("demand")).hasValue(T0 + MINUTE);
            }
        }
    }

    @Test
    void write_wholeTileWithHistory_readsBackEveryRow() {
        FeatureView view = withHistory("1h");
        int rows = 16_807;
        long[] cells =
                IntStream.range(0, rows).mapToLong(CassandraOnlineStoreIT::cell).toArray();
        long[] sums = IntStream.range(0, 4 * rows).mapToLong(i -> i % 1_000).toArray();
        store.write(
                view,
                List.of(new HexRowBlock(
                        BlockHead.ofFinal(view.qualifiedName(), 0, T0),
                        0x852a1007fffffffL,
                        key(0).group(),
                        cells,
                        sums,
                        null)));

        List<StoreKey> asked = new ArrayList<>(
                IntStream.range(0, rows).mapToObj(i -> key(cells[i])).toList());
        Collections.shuffle(asked, new Random(1));
        List<StoredRow> newest =
                store.read(view, asked).rows().stream().map(row -> present(row)).toList();
        List<StoredRow> past = store.readAsOf(view, asked, T0 + 1).rows().stream()
                .map(row -> present(row))
                .toList();

        assertThat(rows("SELECT DISTINCT key FROM " + DEMAND)).hasSize(343);
        for (int i = 0; i < rows; i++) {
            int n = Arrays.binarySearch(cells, asked.get(i).cell());
            long[] expected = Arrays.copyOfRange(sums, 4 * n, 4 * n + 4);
            assertThat(sums(newest.get(i))).containsExactly(expected);
            assertThat(sums(past.get(i))).containsExactly(expected);
        }
    }

    /** Sequences of jobs are epoch ms; with equal write times, chance would decide which row wins. */
    @Test
    void writeKeyed_partialRowsOfAJob_areToldApartByTheirSequence() {
        FeatureView view = keyed(null);
        for (long ms : new long[] {0, 2, 1, 59_999, 59_998, 120_000, 119_999}) {
            store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.PARTIAL, T0 + ms, (int) ms, "a")));
        }
        assertThat(count(view, "a")).isEqualTo(120_000);
        store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.FINAL, 0, 1, "a")));
        store.write(view, List.of(keyedBlock(view, T0 + MINUTE, Finality.PARTIAL, Long.MAX_VALUE, 2, "a")));
        assertThat(count(view, "a")).isEqualTo(1);
    }

    /** A read as of a time stops at its row: neither earlier rows nor expired ones cost anything. */
    @Test
    void readKeyedAsOf_partitionOfThousandsOfRows_readsOne() {
        FeatureView view = keyed("10d");
        int ends = 6_000;
        List<KeyedRowBlock> blocks = IntStream.range(0, ends)
                .mapToObj(i -> keyedBlock(view, T0 - i * MINUTE, Finality.FINAL, 0, i, "many"))
                .toList();
        store.write(view, blocks);
        store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 7, "few")));
        expire(view, "many", T0 - 6_001 * MINUTE, 100);

        assertThat(rows("SELECT DISTINCT key, span FROM " + KEYSPACE + ".campaigns__history"))
                .hasSizeBetween(2, 3);
        assertThat(present(store.readAsOf(view, List.of(keyOf("many")), T0 - 10 * MINUTE)
                                .rows()
                                .get(0))
                        .values()
                        .get(0))
                .isEqualTo(10L);
        assertThat(store.readAsOf(view, List.of(keyOf("many")), T0 - 6_050 * MINUTE)
                        .rows())
                .containsExactly((StoredRow) null);
        assertThat(traced(view, "many", T0)).contains("Read 1 live rows and 0 tombstone cells");
        assertThat(traced(view, "many", T0 - 10 * MINUTE)).contains("Read 1 live rows and 0 tombstone cells");
        assertThat(traced(view, "few", T0)).contains("Read 1 live rows and 0 tombstone cells");
        TestNode.cql("TRUNCATE " + KEYSPACE + ".campaigns__history");
    }

    /** Writes rows of the same partition that the server has expired. */
    private static void expire(FeatureView view, String key, long lastEndMs, int rows) {
        CassandraKeys names = CassandraKeys.of(view);
        ByteBuffer encoded = names.key(keyOf(key));
        String where = " WHERE key = ? AND span = ? AND layout = ? AND window_end = ?";
        long end = lastEndMs;
        Object[] last = {};
        for (int i = 0; i < rows; i++, end -= MINUTE) {
            Object[] primary = {
                encoded,
                Instant.ofEpochMilli(names.spanMs(end)),
                new KeyedRowCodec(view).layout(),
                Instant.ofEpochMilli(end)
            };
            last = primary;
            TestNode.cql(
                    "INSERT INTO " + KEYSPACE
                            + ".campaigns__history (key, span, layout, window_end, cell, row) VALUES (?, ?, ?, ?, 0, 0x00) USING TTL 1",
                    primary);
        }
        Object[] newest = last;
        Await.until(
                "the expiry of the rows",
                () -> rows("SELECT * FROM " + KEYSPACE + ".campaigns__history" + where, newest)
                        .isEmpty());
    }

    /** Returns the server's trace of the store's own statement. */
    private static String traced(FeatureView view, String key, long asOfMs) {
        CassandraKeys names = CassandraKeys.of(view);
        try (CassandraLink link = new CassandraLink(TestNode.NODE.where(KEYSPACE), Duration.ofSeconds(20))) {
            Schema.History table =
                    Objects.requireNonNull(new Schema(link, TestNode.NODE.where(KEYSPACE)).history(view, false));
            BoundStatement select = table.selectUpTo()
                    .bind(
                            names.key(keyOf(key)),
                            Instant.ofEpochMilli(names.spanMs(asOfMs)),
                            new KeyedRowCodec(view).layout(),
                            Instant.ofEpochMilli(asOfMs),
                            Instant.ofEpochMilli(asOfMs - 10 * MINUTE))
                    .setTracing(true);
            ResultSet answer = link.session().execute(select);
            assertThat(answer.all()).hasSize(1);
            return String.join(
                    "\n",
                    answer.getExecutionInfo().getQueryTrace().getEvents().stream()
                            .map(TraceEvent::getActivity)
                            .toList());
        }
    }

    /** Cassandra limits keys to 64 KB: a row with a longer one is refused, and the others are written. */
    @Test
    void writeKeyed_someRowsRefused_namesThemAndHasWrittenTheOthers() {
        FeatureView view = keyed(null);
        String[] keys = IntStream.range(0, 100).mapToObj(i -> "k" + i).toArray(String[]::new);
        keys[60] = "x".repeat(70_000);

        assertThatThrownBy(() -> store.write(view, List.of(keyedBlock(view, T0, Finality.FINAL, 0, 5, keys))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("127.0.0.1:" + TestNode.NODE.port() + "/contract")
                .hasMessageContaining("writing rows of campaigns (key 0xe0c50878")
                .hasMessageContaining("window end 2026-01-01T00:00:00Z")
                .hasMessageContaining("65535")
                .hasMessageContaining("[1 of 100 batches sent were not written]");
        for (int i = 0; i < 60; i++) {
            assertThat(count(view, "k" + i)).isEqualTo(5 + i);
        }
    }

    @Test
    void write_tableOfAnother_isRefusedAndToldOf() {
        TestNode.cql("CREATE TABLE IF NOT EXISTS contract.taken (key blob PRIMARY KEY, v int)");
        TestNode.cql("CREATE TABLE IF NOT EXISTS contract.newer (key blob PRIMARY KEY, v int)"
                + " WITH comment = 'thalweg 2: newest rows of newer'");
        TestNode.cql("CREATE TABLE IF NOT EXISTS contract.altered (key blob PRIMARY KEY, v int)"
                + " WITH comment = 'thalweg 1: newest rows of altered'");
        for (String[] expected : new String[][] {
            {"taken", "was not made by Thalweg"},
            {"newer", "has version 2, this version reads 1"},
            {
                "altered",
                "has the columns key blob partition_key, v int regular instead of key blob partition_key, layout int"
            }
        }) {
            FeatureView view = view(expected[0], null);
            assertThatThrownBy(() -> store.write(view, List.of(block(view, T0, Finality.FINAL, cell(0), 1))))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("table contract." + expected[0])
                    .hasMessageContaining(expected[1])
                    .hasMessageContaining("name another store.keyspace");
            assertThatThrownBy(() -> readOne(view, cell(0)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(expected[1]);
        }
    }

    @Test
    void write_tableDroppedMeanwhile_isMadeAnew() {
        FeatureView view = view("dropped", null);
        List<HexRowBlock> blocks = List.of(block(view, T0, Finality.FINAL, cell(0), 1));
        store.write(view, blocks);
        TestNode.cql("DROP TABLE contract.dropped");

        assertThatThrownBy(() -> store.write(view, blocks))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("dropped");
        assertThat(readOne(view, cell(0))).isNull();
        store.write(view, blocks);
        assertThat(readOne(view, cell(0))).isNotNull();
    }

    @Test
    void write_viewOfALongName_hasTablesOfItsOwn() {
        FeatureView one = view("a".repeat(60) + "1", "1h");
        FeatureView two = view("a".repeat(60) + "2", "1h");
        store.write(one, List.of(block(one, T0, Finality.FINAL, cell(0), 1)));
        assertThat(readOne(two, cell(0))).isNull();
        store.write(two, List.of(block(two, T0, Finality.FINAL, cell(0), 2)));
        assertThat(sums(readOne(one, cell(0)))[0]).isEqualTo(1);
        assertThat(sums(readOne(two, cell(0)))[0]).isEqualTo(2);
    }

    /** Two jobs with the old and the new number of shards, one after the other and concurrently. */
    @Test
    void writeProgress_anotherProcessCutsTheViewDifferently_countsOnItsOwn() {
        try (OnlineStore other = openedBy(clock)) {
            store.writeProgress(new Progress("demand", 0, 1, T0 + MINUTE));
            other.writeProgress(new Progress("demand", 0, 2, T0));
            assertThat(store.watermark("demand")).isEmpty();
            store.writeProgress(new Progress("demand", 0, 1, T0 + 2 * MINUTE));
            assertThat(store.watermark("demand"))
                    .as("what is left of the old job says nothing about the new one")
                    .isEmpty();
            other.writeProgress(new Progress("demand", 1, 2, T0));
            assertThat(store.watermark("demand")).hasValue(T0);
        }
    }

    /** Otherwise statements would be sent to any node, which would forward them. */
    @Test
    void link_ofAKeyspace_knowsWhoseReplicasToAsk() {
        ByteBuffer key = CassandraKeys.of(keyed(null)).key(keyOf("a"));
        try (CassandraLink link = new CassandraLink(TestNode.NODE.where(KEYSPACE), Duration.ofSeconds(20))) {
            assertThat(link.session()
                            .getMetadata()
                            .getTokenMap()
                            .orElseThrow()
                            .getReplicas(CqlIdentifier.fromInternal(KEYSPACE), key))
                    .hasSize(1);
        }
    }

    @Test
    void write_codecsKeys_areThoseOfReaders() {
        FeatureView view = keyed(null);
        assertThat(CassandraKeys.of(view).key(keyOf("é")))
                .isEqualTo(ByteBuffer.wrap(new KeyCodec(view).bytes(List.of("é"))));
    }
}
