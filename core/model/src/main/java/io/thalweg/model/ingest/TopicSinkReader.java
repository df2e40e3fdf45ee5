package io.thalweg.model.ingest;

import io.thalweg.model.ingest.Ingest.Format;
import io.thalweg.model.ingest.Ingest.From;
import io.thalweg.model.ingest.Ingest.Topic;
import io.thalweg.model.ingest.Ingest.TopicSink;
import io.thalweg.model.source.SchemaReader;
import io.thalweg.model.source.Source;
import io.thalweg.model.source.SourceReader;
import io.thalweg.model.yaml.YamlMap;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the sink of an ingest that is a topic. */
final class TopicSinkReader {
    /** Keys that other sinks do not have. */
    static final List<String> KEYS = List.of("kafka", "format", "schema");

    private TopicSinkReader() {}

    /**
     * Reads the sink.
     *
     * @param from the source of the ingest, which must differ from the sink
     */
    static TopicSink read(YamlMap sink, From from) {
        Stream.concat(BigQuerySinkReader.KEYS_OF_FILES.stream(), Stream.of("writers", "max_writers", "write"))
                .forEach(key -> sink.refused(key, "does not go with topic; remove it"));
        String topic = sink.optional("topic").map(SourceReader::topic).orElse("?");
        String kafka = sink.optional("kafka").map(SourceReader::cluster).orElse("default");
        if (from instanceof Topic read
                && read.topic().equals(topic)
                && read.kafka().equals(kafka)) {
            sink.key("topic").problem("must not be source.topic, whose rows would be read again; name another topic");
        }
        Format format =
                sink.optional("format").map(value -> value.oneOf(Format.class)).orElse(Format.AVRO);
        return new TopicSink(
                topic,
                kafka,
                format,
                schema(sink, format, topic),
                IngestReader.isExactlyOnce(sink),
                IngestReader.every(sink, "10s"),
                IngestReader.linger(sink));
    }

    /**
     * Reads the schema. Avro and JSON schemas can be derived; others contain field numbers that only their owner can
     * choose.
     */
    private static Source.@Nullable Schema schema(YamlMap sink, Format format, String topic) {
        boolean derived = format == Format.AVRO || format == Format.JSON;
        return derived && !sink.has("schema") ? null : SchemaReader.readWritten(sink, format.text(), topic, derived);
    }
}
