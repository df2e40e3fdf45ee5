package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordOrigin;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.BlockTimer;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.block.KeyedShardBlock;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when gathered events are emitted. */
@SuppressWarnings("NullAway.Init")
class RouteOperatorTest {
    private static final FeatureView VIEW = CityEvents.view("json", "at_least_once");
    /** The same events, counted by product and by rider. */
    private static final FeatureView KEYED =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: products
                    source:
                      topic: rider-events
                      start: earliest
                      format: json
                      event_time: {field: ts, unit: ms}
                      max_out_of_orderness: 10s
                      idle_after: 2s
                    entities: [{name: kind, field: event_type}, {name: product, field: product_id, type: uuid}]
                    measures:
                      - {name: requests, count: all, where: {event_type: request}}
                      - {name: north, max: lat}
                    windows: {sizes: [1m], every: 1m}
                    """, "products.yaml").views().get(0);

    private static final Projection PROJECTION = Projection.of(List.of(VIEW, KEYED));

    private final BlockTimer timer = BlockTimer.ofFiles(VIEW.source(), PROJECTION);
    private final EventColumns columns = new EventColumns(PROJECTION);
    private final EventDecoder json = EventDecoder.create(PROJECTION);
    private OneInputStreamOperatorTestHarness<DecodedBlock, Void> harness;

    @BeforeEach
    void open() throws Exception {
        harness = new OneInputStreamOperatorTestHarness<>(new RouteOperator(List.of(VIEW, KEYED), "route-test"));
        harness.open();
        harness.setProcessingTime(1_000);
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    private void read(List<String> events) throws Exception {
        columns.clear();
        long offset = 0;
        for (String event : events) {
            byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
            json.decode(bytes, 0, bytes.length, new Stamped(0, offset++, CityEvents.START_MS), columns);
        }
        DecodedBlock block = timer.timed(columns, "events", PartitionClock.notStarted(10_000), Long.MIN_VALUE);
        harness.processElement(new StreamRecord<>(block));
    }

    /** A record with a timestamp. */
    private record Stamped(int partition, long offset, long timestampMs) implements RecordOrigin {}

    /** Creates events of this many riders, all in one cell. */
    private static List<String> events(int riders) {
        List<String> events = new ArrayList<>();
        for (int rider = 0; rider < riders; rider++) {
            events.add(
                    "{\"event_type\":\"request\",\"rider_id\":\"00000000-0000-0000-0000-%012d\",\"product_id\":\"00000000-0000-0001-0000-000000000001\",\"lat\":48.86,\"lng\":2.35,\"ts\":%d}"
                            .formatted(rider, CityEvents.START_MS));
        }
        return events;
    }

    private List<Integer> left() {
        Queue<StreamRecord<ShardBlock>> blocks = harness.getSideOutput(RouteOperator.cells(VIEW));
        return blocks == null
                ? List.of()
                : blocks.stream().map(block -> block.getValue().entries()).toList();
    }

    /** The offset of a tombstone passes as that of an event, but it is neither bad nor a dead letter. */
    @Test
    void tombstones_areCountedByTheirNameOnly() throws Exception {
        columns.clear();
        columns.appendTombstone(new byte[0], 0, new Stamped(0, 7, CityEvents.START_MS));
        json.decode(new byte[0], 0, 0, new Stamped(0, 8, CityEvents.START_MS), columns);
        DecodedBlock block = timer.timed(columns, "events", PartitionClock.notStarted(10_000), Long.MIN_VALUE);

        harness.processElement(new StreamRecord<>(block));

        for (FeatureView view : List.of(VIEW, KEYED)) {
            JobMetrics.View counts = JobMetrics.of("route-test").view(view.qualifiedName());
            assertThat(counts.outcome(EventOutcome.TOMBSTONE)).isEqualTo(1);
            assertThat(counts.outcome(EventOutcome.BAD)).isEqualTo(1);
            assertThat(counts.events()).isEqualTo(2);
            assertThat(harness.getSideOutput(RouteOperator.deadLetters(view))).hasSize(1);
        }
    }

    @Test
    void events_fewOfThem_wait20Milliseconds() throws Exception {
        read(events(3));
        harness.setProcessingTime(1_019);
        assertThat(left()).isEmpty();

        harness.setProcessingTime(1_020);

        assertThat(left()).containsExactly(3);
    }

    @Test
    void events_1024OfAShard_leaveAtOnce() throws Exception {
        read(events(1_030));
        assertThat(left()).containsExactly(1_024);

        harness.setProcessingTime(1_020);

        assertThat(left()).containsExactly(1_024, 6);
    }

    @Test
    void events_atAWatermark_leaveBeforeIt() throws Exception {
        read(events(3));

        harness.processWatermark(new Watermark(CityEvents.START_MS));

        assertThat(left()).containsExactly(3);
        assertThat(harness.getOutput()).containsExactly(new Watermark(CityEvents.START_MS));
    }

    @Test
    void events_beforeABarrier_leave_soThatThereIsNoState() throws Exception {
        read(events(3));

        harness.getOperator().prepareSnapshotPreBarrier(1);

        assertThat(left()).containsExactly(3);
    }

    @Test
    void events_atTheEnd_leave() throws Exception {
        read(events(3));

        harness.endInput();

        assertThat(left()).containsExactly(3);
    }

    @Test
    void repeats_inTheSamePane_stayHere() throws Exception {
        read(events(3));
        read(events(3));
        read(events(4));

        harness.endInput();

        assertThat(left()).containsExactly(4);
    }

    @Test
    void events_ofAKeyedView_leaveWithTheirKeysAndInputs() throws Exception {
        read(events(2));
        read(List.of(events(1).get(0).replace("request", "app_open").replace("48.86", "50.5")));

        harness.endInput();

        Queue<StreamRecord<KeyedShardBlock>> blocks = harness.getSideOutput(RouteOperator.keys(KEYED));
        KeyCodec codec = new KeyCodec(KEYED);
        List<String> events = new ArrayList<>();
        for (StreamRecord<KeyedShardBlock> record : blocks) {
            KeyedShardBlock block = copied(record.getValue());
            KeyedBlock columns = block.columns();
            byte[][] keys = Objects.requireNonNull(columns.keyBytes());
            for (int e = 0; e < columns.entries(); e++) {
                byte[] key = keys[Objects.requireNonNull(columns.key())[e]];
                assertThat(block.shard()).isEqualTo(Shards.of(KeyWord.of(key)));
                events.add(codec.ofBytes(key).get(0) + " " + columns.pane(e) * 60_000 + " "
                        + Objects.requireNonNull(columns.matches())[e] + " "
                        + Double.longBitsToDouble(columns.inputs()[0][e]));
            }
        }
        assertThat(events)
                .containsExactlyInAnyOrder(
                        "request " + CityEvents.START_MS + " 1 48.86",
                        "request " + CityEvents.START_MS + " 1 48.86",
                        "app_open " + CityEvents.START_MS + " 0 50.5");
    }

    private static KeyedShardBlock copied(KeyedShardBlock block) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        KeyedShardBlock.Serializer serializer = new KeyedShardBlock.Serializer();
        serializer.serialize(block, out);
        return serializer.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
    }
}
