package io.thalweg.records.generate;

import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.ThriftBytes;
import io.thalweg.records.write.ThriftLayout;

/** Thrift's binary protocol, with the additional size of a length in groups of seven bits, so that lengths enclose lengths. */
final class FramedBytes implements ByteRecordWriter {
    private final ThriftBytes message;

    FramedBytes(Struct schema) {
        message = ThriftBytes.binary(schema, ThriftLayout.DEFAULT);
    }

    @Override
    public void begin() {
        message.begin();
    }

    @Override
    public void end() {
        message.end();
    }

    @Override
    public byte[] data() {
        return message.data();
    }

    @Override
    public int from() {
        return message.from();
    }

    @Override
    public int to() {
        return message.to() + (message.to() < 128 ? 1 : 2);
    }

    @Override
    public int textSize(int length) {
        return message.textSize(length);
    }

    @Override
    public int bytesSize(int length) {
        return message.bytesSize(length);
    }

    @Override
    public boolean claimHugeLength() {
        return message.claimHugeLength();
    }

    @Override
    public void bool(int slot, boolean value) {
        message.bool(slot, value);
    }

    @Override
    public void int64(int slot, long value) {
        message.int64(slot, value);
    }

    @Override
    public void float64(int slot, double value) {
        message.float64(slot, value);
    }

    @Override
    public void bytes(int slot, byte[] data, int from, int length) {
        message.bytes(slot, data, from, length);
    }

    @Override
    public void absent(int slot) {
        message.absent(slot);
    }

    @Override
    public void beginStruct(int slot) {
        message.beginStruct(slot);
    }

    @Override
    public void endStruct(int slot) {
        message.endStruct(slot);
    }

    @Override
    public void beginList(int slot) {
        message.beginList(slot);
    }

    @Override
    public void endList(int slot) {
        message.endList(slot);
    }

    @Override
    public void beginMap(int slot) {
        message.beginMap(slot);
    }

    @Override
    public void endMap(int slot) {
        message.endMap(slot);
    }
}
