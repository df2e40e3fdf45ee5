package io.thalweg.model.source;

import io.thalweg.model.field.FieldPath;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the schemas of sources. The model does not depend on a schema language: event decoders provide the ones that they can
 * read.
 */
@FunctionalInterface
public interface EventSchemas {
    /** Reads no schema, for callers that do not decode events; fields are then not checked. */
    EventSchemas UNREAD = (format, schema) -> Optional.empty();

    /**
     * Reads a schema.
     *
     * @return empty if this reader reads none
     * @throws IllegalArgumentException if the schema cannot be read or used; the message says why and what to do. An unreachable
     *     registry is not a problem of the definition and has its own exception
     */
    Optional<Fields> read(Source.Format format, Source.Schema schema);

    /** A schema that was read. */
    interface Fields {
        /** What was read. */
        EventSchema schema();

        /**
         * The type of a field of the event.
         *
         * @throws IllegalArgumentException if events have no such field; the message says what they have instead
         */
        FieldType type(FieldPath field);
    }

    /**
     * The type of a field.
     *
     * @param text the type, for messages
     * @param absent what a missing value means; null for nothing
     */
    record FieldType(Kind kind, String text, @Nullable String absent) {
        /** Whether its values are whole numbers. */
        public boolean isInteger() {
            return switch (kind) {
                case INTEGER, DATE, TIME, TIMESTAMP, LOCAL_TIMESTAMP -> true;
                case BOOLEAN, NUMBER, TEXT, UUID, BYTES, NESTED -> false;
            };
        }

        /** Whether its values are numbers. */
        public boolean isNumber() {
            return isInteger() || kind == Kind.NUMBER;
        }

        /** Whether its values are text, or have one form as text. */
        public boolean isText() {
            return kind == Kind.TEXT || kind == Kind.UUID;
        }

        /** Whether it has one value, which can be compared. */
        public boolean isScalar() {
            return isNumber() || isText() || kind == Kind.BOOLEAN;
        }
    }

    /** What a value can be used as. */
    enum Kind {
        BOOLEAN,
        /** Whole numbers of up to 64 bits. */
        INTEGER,
        /** Days since 1970. */
        DATE,
        /** Microseconds since midnight. */
        TIME,
        /** Numbers that may have a fraction. */
        NUMBER,
        TEXT,
        UUID,
        /** Microseconds since 1970 in UTC. */
        TIMESTAMP,
        /** As {@link #TIMESTAMP}, of a wall clock whose zone the schema does not know. */
        LOCAL_TIMESTAMP,
        BYTES,
        /** A struct, a list or a map. */
        NESTED
    }
}
