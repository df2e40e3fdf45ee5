package io.thalweg.records.registry;

import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.schema.SchemaException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Avro schemas by fingerprint: that of the table, and the versions of its subject, which are fetched on the first lookup of an
 * unknown fingerprint.
 *
 * <p><b>Threads.</b> One.
 */
final class Fingerprints {
    private final WriterSchemas writers;
    private final Map<Long, RegisteredSchema> known = new HashMap<>();
    private final Set<Integer> fetched = new HashSet<>();

    Fingerprints(AvroSchema table, WriterSchemas writers) {
        this.writers = writers;
        String contents = new String(table.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        known.put(table.fingerprint(), new RegisteredSchema(0, 0, contents));
    }

    /**
     * Returns the schema with a fingerprint.
     *
     * @throws UnknownSchemaException if no version has it
     */
    RegisteredSchema find(long fingerprint) {
        if (!known.containsKey(fingerprint)) {
            writers.versions().stream()
                    .filter(version -> !fetched.contains(version))
                    .forEach(this::fetch);
        }
        RegisteredSchema found = known.get(fingerprint);
        if (found == null) {
            throw new UnknownSchemaException("no schema has the fingerprint %016x".formatted(fingerprint));
        }
        return found;
    }

    private void fetch(int version) {
        try {
            RegisteredSchema schema = writers.ofVersion(version);
            byte[] json = schema.contents().getBytes(StandardCharsets.ISO_8859_1);
            known.put(AvroSchema.parse(new String(json, StandardCharsets.UTF_8)).fingerprint(), schema);
        } catch (SchemaException | UnknownSchemaException e) {
            // The version cannot be used or was deleted meanwhile. The schema of its messages stays unknown.
        }
        fetched.add(version);
    }
}
