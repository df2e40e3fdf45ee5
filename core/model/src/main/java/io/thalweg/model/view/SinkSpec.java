package io.thalweg.model.view;

import java.io.Serializable;

/** The Kafka topic that a view's rows go to. */
public record SinkSpec(String topic, String kafka, Format format, Delivery delivery) implements Serializable {
    /** {@code json} and {@code avro}: a record per row; {@code packed}: a record per tile, group and window end. */
    public enum Format {
        JSON,
        AVRO,
        PACKED
    }

    /** See {@code semantics}: rows are written at once and may repeat, or appear once for read_committed readers. */
    public enum Delivery {
        AT_LEAST_ONCE,
        EXACTLY_ONCE
    }
}
