package io.thalweg.formats.file;

import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.Projection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Opens Parquet files, whose rows are events of fields with types of their own. */
@FunctionalInterface
public interface TypedFiles {
    /** For readers that open no such file. */
    TypedFiles NONE = (file, projection, joined) -> {
        throw new IOException(file + ": Parquet files are not read here");
    };

    /**
     * Opens a file.
     *
     * @param joined adds lookups to a decoder
     * @throws IOException if it cannot be read; the message names it
     */
    EventFile open(Path file, Projection projection, UnaryOperator<EventDecoder> joined) throws IOException;

    /** Whether a file is one of these, judging by its name. */
    static boolean isNamed(String name) {
        return name.toLowerCase(Locale.ROOT).endsWith(".parquet");
    }
}
