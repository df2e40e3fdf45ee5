package io.thalweg.jobs.ingest.deadletters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter.Stage;
import io.thalweg.model.ingest.Ingest.MaxBad;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.warehouse.EncodedRows.Origin;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FuseTest {
    private long events;
    private long nowMs = 1_000;

    private Fuse fuse(double share, int ofAtLeast) {
        return new Fuse(new MaxBad(share, DurationText.parse("1m"), ofAtLeast), () -> events, () -> nowMs);
    }

    private static IngestDeadLetter letter(RecordFault fault, long position) {
        return new IngestDeadLetter(
                "rides",
                Stage.DECODE,
                new BadRecordException(fault, "'id' is wrong"),
                new Origin("rides", 0, position, 2),
                new IngestDeadLetter.Content(
                        DeadLetter.Raw.of(new byte[0], 0, 0, 0), null, true, RecordAttributes.NONE),
                1,
                Instant.EPOCH);
    }

    private void bad(Fuse fuse) {
        events++;
        fuse.bad(letter(RecordFault.WRONG_TYPE, events));
    }

    @Test
    void bad_moreThanTheShare_namesCountsReasonAndTheFirst() {
        Fuse fuse = fuse(0.015, 100);
        events = 98;
        events++;
        fuse.bad(letter(RecordFault.EMPTY, 7));
        events++;

        assertThatThrownBy(() -> fuse.bad(letter(RecordFault.EMPTY, 8)))
                .isInstanceOf(TooManyBadException.class)
                .hasMessage(
                        "2 of 100 messages within 1m were bad, more than max_bad.share 1.5% allows; most often empty; "
                                + "the first, message 2 of the record at offset 7 of partition 0 of rides: 'id' is wrong");
    }

    @Test
    void bad_beforeThereAreEnoughMessages_isNoReason() {
        Fuse fuse = fuse(0.01, 100);
        for (int i = 0; i < 99; i++) {
            bad(fuse);
        }
        assertThatThrownBy(() -> bad(fuse)).isInstanceOf(TooManyBadException.class);
    }

    @Test
    void bad_spreadOverSpansOfTime_isNoReason() {
        Fuse fuse = fuse(0.01, 10);
        for (int minute = 0; minute < 100; minute++) {
            for (int i = 0; i < 9; i++) {
                bad(fuse);
            }
            nowMs += 60_000;
        }
        assertThat(events).isEqualTo(900);
    }

    @Test
    void restored_countsThatAreThere_areNotOfThisFuse() {
        events = 1_000_000;
        Fuse fuse = fuse(0.5, 2);
        bad(fuse);
        assertThatThrownBy(() -> bad(fuse)).hasMessageStartingWith("2 of 2 messages");
    }

    /** Compares with a naive model that keeps all messages of the span and counts them again at each bad one. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void bad_anyMessages_tripsWhereTheNaiveOneDoes(long seed) {
        Random random = new Random(seed);
        double share = random.nextDouble() * 0.3;
        int ofAtLeast = 1 + random.nextInt(50);
        Fuse fuse = fuse(share, ofAtLeast);
        List<Boolean> span = new ArrayList<>();
        long begunMs = -1;
        for (int i = 0; i < 2_000; i++) {
            nowMs += random.nextInt(300);
            events++;
            boolean isBad = random.nextInt(8) == 0;
            if (isBad && begunMs >= 0 && nowMs - begunMs >= 60_000) {
                span.clear();
                begunMs = nowMs;
            }
            span.add(isBad);
            if (!isBad) {
                continue;
            }
            begunMs = begunMs < 0 ? nowMs : begunMs;
            long bad = span.stream().filter(each -> each).count();
            if (span.size() >= ofAtLeast && bad > share * span.size()) {
                assertThatThrownBy(() -> fuse.bad(letter(RecordFault.EMPTY, 0)))
                        .hasMessageStartingWith("%d of %d messages".formatted(bad, span.size()));
                return;
            }
            fuse.bad(letter(RecordFault.EMPTY, 0));
        }
    }
}
