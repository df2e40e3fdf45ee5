package io.thalweg.model.ingest;

import io.thalweg.model.ingest.Ingest.Envelope;
import io.thalweg.model.ingest.Ingest.Format;
import io.thalweg.model.ingest.Ingest.Messages;
import io.thalweg.model.source.Source.Compression;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.Locale;
import java.util.Optional;

/** Reads how the messages of an ingest are packed into records. */
final class EnvelopeReader {
    private static final String COMPRESSIONS = "none, gzip, zlib, zstd, lz4, snappy or {header: NAME}";

    private EnvelopeReader() {}

    /** Reads {@code source.envelope} of a source of this format. */
    static Envelope read(YamlValue value, Format format, Ingest.From from) {
        YamlMap envelope = value.map();
        Optional<YamlValue> compression = envelope.optional("compression");
        Envelope read = new Envelope(
                compression
                        .filter(given -> !given.isMap())
                        .map(EnvelopeReader::compression)
                        .orElse(Compression.NONE),
                compression
                        .filter(YamlValue::isMap)
                        .map(given -> header(given.map(), from))
                        .orElse(null),
                envelope.optional("messages")
                        .map(messages -> messages(messages, format))
                        .orElse(Messages.ONE));
        envelope.close();
        return read;
    }

    private static Compression compression(YamlValue value) {
        if (!value.isText()) {
            value.wrong(COMPRESSIONS);
            return Compression.NONE;
        }
        return value.oneOf(Compression.class);
    }

    private static String header(YamlMap compression, Ingest.From from) {
        String header =
                compression.required("header", "codec").map(YamlValue::text).orElse("?");
        if (header.isBlank()) {
            compression.key("header").wrong("the name of a header of records, such as codec");
        }
        if (from instanceof Ingest.Files) {
            compression.key("header").problem("goes with a topic only, because records of files have no headers");
        }
        compression.close();
        return header;
    }

    private static Messages messages(YamlValue value, Format format) {
        Messages messages = value.oneOf(Messages.class);
        Format needed = switch (messages) {
            case AVRO_CONTAINER -> Format.AVRO;
            case THRIFT_LIST -> Format.THRIFT;
            case ONE, LENGTH_PREFIXED, LINES -> format;
        };
        if (format != needed) {
            value.problem("%s goes with format: %s only, was %s"
                    .formatted(messages.name().toLowerCase(Locale.ROOT), needed.text(), format.text()));
        }
        return messages;
    }
}
