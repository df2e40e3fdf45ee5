package io.thalweg.runner;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;

/** The source of a replay's dead letters, and the place for those that are left after it. */
public interface DeadLetterSource {
    /** Takes lines of JSON. */
    interface Lines {
        void take(byte[] data, int from, int length) throws IOException;
    }

    /** For people. */
    String text();

    /** Where the letters that are left are, for people. */
    String leftText();

    /**
     * Reads the letters that exist now.
     *
     * @param plan takes what {@link #finish} needs to know
     */
    void read(Properties plan, Lines lines) throws IOException;

    /** Whether letters that are not of the ingest are left too, because the letters that are left replace what was read. */
    boolean isOwn();

    /** Whether {@link #finish} has completed for what was read. */
    boolean isFinished(Properties plan);

    /**
     * Writes the letters that are left, in place of those that were read.
     *
     * @param left lines of JSON
     */
    void finish(Properties plan, Path left) throws IOException;

    /** Requires that {@link #finish} can write letters, before the replay starts. */
    void requireWritable();
}
