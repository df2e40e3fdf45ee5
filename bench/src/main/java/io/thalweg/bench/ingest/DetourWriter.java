package io.thalweg.bench.ingest;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.write.ByteRecordWriter;

/** Collects a message in one form, and encodes it in another when it ends. */
final class DetourWriter implements ByteRecordWriter {
    private final RecordWriter form;
    private final Runnable begin;
    private final Detour.Collected collected;
    private final ByteRecordWriter encoder;

    /**
     * Joins a form to an encoding.
     *
     * @param form takes the fields of a message
     * @param begin starts a message of the form
     * @param collected reports the message to the encoder
     */
    DetourWriter(RecordWriter form, Runnable begin, Detour.Collected collected, ByteRecordWriter encoder) {
        this.form = form;
        this.begin = begin;
        this.collected = collected;
        this.encoder = encoder;
    }

    @Override
    public void begin() {
        begin.run();
    }

    @Override
    public void end() {
        encoder.begin();
        collected.report(encoder);
        encoder.end();
    }

    @Override
    public byte[] data() {
        return encoder.data();
    }

    @Override
    public int from() {
        return encoder.from();
    }

    @Override
    public int to() {
        return encoder.to();
    }

    @Override
    public int textSize(int length) {
        return encoder.textSize(length);
    }

    @Override
    public int bytesSize(int length) {
        return encoder.bytesSize(length);
    }

    @Override
    public boolean claimHugeLength() {
        return encoder.claimHugeLength();
    }

    @Override
    public void bool(int slot, boolean value) {
        form.bool(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        form.int64(slot, value);
    }

    @Override
    public void float64(int slot, double value) {
        form.float64(slot, value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        form.bytes(slot, data, from, length);
    }

    @Override
    public void absent(int slot) {
        form.absent(slot);
    }

    @Override
    public void beginStruct(int slot) {
        form.beginStruct(slot);
    }

    @Override
    public void endStruct(int slot) {
        form.endStruct(slot);
    }

    @Override
    public void beginList(int slot) {
        form.beginList(slot);
    }

    @Override
    public void endList(int slot) {
        form.endList(slot);
    }

    @Override
    public void beginMap(int slot) {
        form.beginMap(slot);
    }

    @Override
    public void endMap(int slot) {
        form.endMap(slot);
    }
}
