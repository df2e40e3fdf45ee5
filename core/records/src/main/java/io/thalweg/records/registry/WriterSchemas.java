package io.thalweg.records.registry;

import java.util.List;

/**
 * The schemas with which messages were written.
 *
 * <p><b>Errors.</b> {@link UnknownSchemaException} if there is no such schema; {@link io.thalweg.records.schema.SchemaException}
 * if its language is not the expected one. A source that waits for its registry throws {@link RegistryAwayException} when it
 * gives up.
 *
 * <p><b>Threads.</b> Safe.
 */
public interface WriterSchemas {
    /** Returns the schema with an id. */
    RegisteredSchema byId(int id);

    /** Returns the versions of the subject of the table's schema. */
    List<Integer> versions();

    /** Returns one version of that subject. */
    RegisteredSchema ofVersion(int version);
}
