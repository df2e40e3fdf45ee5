package io.thalweg.records.registry;

import java.util.List;

/**
 * The schemas that messages were written with.
 *
 * <p><b>Errors.</b> {@link UnknownSchemaException} if there is none; {@link io.thalweg.records.schema.SchemaException} if it is not
 * one of the wanted language. A source that waits for its registry throws {@link RegistryAwayException} when it gives up.
 *
 * <p><b>Threads.</b> Safe.
 */
public interface WriterSchemas {
    /** The schema with an id. */
    RegisteredSchema byId(int id);

    /** The versions of the subject that the table's schema is of. */
    List<Integer> versions();

    /** One version of that subject. */
    RegisteredSchema ofVersion(int version);
}
