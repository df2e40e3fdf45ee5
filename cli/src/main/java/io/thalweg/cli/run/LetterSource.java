package io.thalweg.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Properties;

/** Where the dead letters of a replay come from, and where those go that are left after it. */
interface LetterSource {
    /** Takes lines of JSON. */
    interface Lines {
        void take(byte[] data, int from, int length) throws IOException;
    }

    /** For people. */
    String text();

    /** Where those that are left are, for people. */
    String leftText();

    /**
     * Reads the letters that there are now.
     *
     * @param plan takes what {@link #finish} needs to know
     */
    void read(Properties plan, Lines lines) throws IOException;

    /** Whether letters that are not of the ingest must be put back, because what was read will be removed. */
    boolean isOwn();

    /** Whether what was read has been finished. */
    boolean isFinished(Properties plan);

    /**
     * Puts the letters that are left in their place, instead of those that were read.
     *
     * @param left lines of JSON
     */
    void finish(Properties plan, Path left) throws IOException;

    /** Requires that letters can be put there before anything is done. */
    void requireWritable();
}
