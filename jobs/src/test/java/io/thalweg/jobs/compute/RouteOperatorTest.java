package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordHeaders;
import io.thalweg.jobs.block.BlockDecoder;
import io.thalweg.jobs.block.Chained;
import io.thalweg.jobs.block.DecodedBlock;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.model.FeatureView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When gathered events leave. */
@SuppressWarnings("NullAway.Init")
class RouteOperatorTest {
    private static final FeatureView VIEW = CityEvents.view("json", "at_least_once");
    private static final OutputTag<ShardBlock> BLOCKS = new OutputTag<>("blocks", ShardBlock.TYPE);
    private static final OutputTag<DeadLetter> DEAD = new OutputTag<>("dead", Chained.type(DeadLetter.class));
    private static final Projection PROJECTION = Projection.of(List.of(VIEW));

    private final BlockDecoder decoder = new BlockDecoder(VIEW.source(), PROJECTION);
    private final EventDecoder json = EventDecoder.create(PROJECTION);
    private OneInputStreamOperatorTestHarness<DecodedBlock, Void> harness;

    @BeforeEach
    void open() throws Exception {
        RouteOperator.Route route = new RouteOperator.Route(VIEW, BLOCKS, DEAD);
        harness = new OneInputStreamOperatorTestHarness<>(new RouteOperator(List.of(route), "route-test"));
        harness.open();
        harness.setProcessingTime(1_000);
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    private void read(List<String> events) throws Exception {
        decoder.events().clear();
        long offset = 0;
        for (String event : events) {
            byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
            json.decode(
                    bytes,
                    0,
                    bytes.length,
                    0,
                    offset++,
                    CityEvents.START_MS,
                    null,
                    RecordHeaders.NONE,
                    decoder.events());
        }
        DecodedBlock block = decoder.timed("events", PartitionClock.notStarted(10_000), Long.MIN_VALUE);
        harness.processElement(new StreamRecord<>(block));
    }

    /** Events of so many riders, all in one cell. */
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
        Queue<StreamRecord<ShardBlock>> blocks = harness.getSideOutput(BLOCKS);
        return blocks == null
                ? List.of()
                : blocks.stream().map(block -> block.getValue().events()).toList();
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
}
