package io.thalweg.jobs.compute;

import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.sink.KafkaRecord;
import io.thalweg.model.deployment.ClockSpec;
import java.time.Clock;
import org.apache.flink.api.common.functions.MapFunction;

/** Encodes a dead letter as a Kafka record without a key, with the current time as its timestamp. */
final class EncodeDeadLetter implements MapFunction<DeadLetter, KafkaRecord> {
    private final ClockSpec clock;

    EncodeDeadLetter(ClockSpec clock) {
        this.clock = clock;
    }

    @Override
    public KafkaRecord map(DeadLetter letter) {
        return new KafkaRecord(
                -1, null, letter.toJson(), clock.nowMs(Clock.systemUTC().millis()));
    }
}
