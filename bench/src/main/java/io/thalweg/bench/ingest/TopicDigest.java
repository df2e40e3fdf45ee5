package io.thalweg.bench.ingest;

import io.thalweg.bench.harness.TopicReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** A digest of a topic of Avro rows, read with Avro's own reader. */
public final class TopicDigest {
    private static final Duration POLL = Duration.ofMillis(10);

    private TopicDigest() {}

    /**
     * Reads all partitions to their ends.
     *
     * @param schemas the folder with the schemas
     */
    public static TableDigest of(String bootstrap, String topic, Path schemas) throws IOException {
        Schema schema = RideSchemas.rows(schemas);
        GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
        @Nullable BinaryDecoder decoder = null;
        long bytes = 0;
        long rows = 0;
        long hashes = 0;
        try (TopicReader records = TopicReader.open(bootstrap, topic, null)) {
            while (records.hasMore()) {
                for (ConsumerRecord<byte[], byte[]> record : records.next(POLL)) {
                    decoder = DecoderFactory.get().binaryDecoder(record.value(), decoder);
                    hashes += TableDigest.hash(text(reader.read(null, decoder)));
                    bytes += record.value().length;
                    rows++;
                }
            }
        }
        return new TableDigest(0, bytes, rows, hashes);
    }

    /** Returns a row as text. Entries of maps are in the order of their keys, because a record has them in any order. */
    private static String text(GenericRecord row) {
        StringBuilder text = new StringBuilder();
        for (Schema.Field field : row.getSchema().getFields()) {
            Object value = row.get(field.pos());
            if (value instanceof Map<?, ?> map) {
                TreeMap<String, Object> sorted = new TreeMap<>();
                map.forEach((key, each) -> sorted.put(key.toString(), each));
                value = sorted;
            }
            String shown = String.valueOf(value);
            text.append(shown.length()).append(':').append(shown);
        }
        return text.toString();
    }
}
