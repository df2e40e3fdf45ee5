package io.thalweg.jobs.ingest.deadletters;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordHeader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The content of a dead letter as a record, with the origin that the letter names. */
record DeadLetterRecord(SavedDeadLetter letter) implements RawRecords {
    @Override
    public String source() {
        return letter.source();
    }

    @Override
    public int partition() {
        return letter.partition();
    }

    @Override
    public byte @Nullable [] key(int i) {
        return letter.attributes().key();
    }

    @Override
    public long timestampMs(int i) {
        return letter.attributes().timestampMs();
    }

    @Override
    public List<RecordHeader> headers(int i) {
        return letter.attributes().headers();
    }

    /** A rest is already decompressed. */
    @Override
    public @Nullable String codec(int i) {
        return letter.form() == SavedDeadLetter.Form.REST ? null : letter.codec();
    }

    @Override
    public int size() {
        return 1;
    }

    @Override
    public long bytes() {
        return letter.raw().length;
    }

    @Override
    public byte[] data(int i) {
        return letter.raw();
    }

    @Override
    public int from(int i) {
        return 0;
    }

    @Override
    public int to(int i) {
        return letter.raw().length;
    }

    @Override
    public long position(int i) {
        return letter.offset();
    }

    @Override
    public @Nullable String id(int i) {
        return letter.messageId();
    }
}
