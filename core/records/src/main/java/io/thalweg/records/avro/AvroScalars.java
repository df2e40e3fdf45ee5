package io.thalweg.records.avro;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordWriter;
import java.util.Arrays;

/** Reads the values that need a conversion before they are reported. */
final class AvroScalars {
    private static final int DECIMAL_BYTES = 16;
    private static final int UUID_LENGTH = 36;
    private static final long MICROS_OF_DAY = 86_400_000_000L;

    private final AvroInput in;
    private final byte[] uuid = new byte[16];

    AvroScalars(AvroInput in) {
        this.in = in;
    }

    void symbol(Step.Symbol step, RecordWriter writer) {
        int index = in.readIndex(step.names.length, step.path);
        byte[] name = step.names[index];
        if (name == null) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'" + step.path + "' is symbol " + index + " of the writer's enum, which the table's enum has not");
        }
        writer.bytes(step.slot, name, 0, name.length);
    }

    void scaled(Step.Scaled step, long value, RecordWriter writer) {
        int factor = step.factor;
        long micros = factor < 0 ? Math.floorDiv(value, -factor) : value * factor;
        if (factor > 0 && Math.multiplyHigh(value, factor) != micros >> 63) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'" + step.path + "' must fit 64 bits of microseconds, was " + value + " ms");
        }
        if (step.isTimeOfDay && (micros < 0 || micros >= MICROS_OF_DAY)) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE,
                    "'" + step.path + "' must be a time within 24 hours, was " + micros + " microseconds");
        }
        writer.int64(step.slot, micros);
    }

    void decimal(Step.Decimal step, RecordWriter writer) {
        int length = step.size;
        if (length == Step.Decimal.PREFIXED) {
            length = in.readLength();
        } else {
            in.require(length);
        }
        int at = in.at;
        if (length == 0) {
            throw in.malformed(at, "the decimal '" + step.path + "' must have at least one byte");
        }
        in.at = at + length;
        int padding = padding(at, length);
        at += padding;
        length -= padding;
        if (length > step.safe && isOutOfRange(step, at, length)) {
            throw new BadRecordException(
                    RecordFault.OUT_OF_RANGE, "'" + step.path + "' must have at most " + step.precision + " digits");
        }
        writer.bytes(step.slot, in.data, at, length);
    }

    /** Returns how many leading bytes only repeat the sign. */
    private int padding(int at, int length) {
        byte sign = (byte) (in.data[at] >> 7);
        int padding = 0;
        while (padding < length - 1 && in.data[at + padding] == sign && in.data[at + padding + 1] >> 7 == sign) {
            padding++;
        }
        return padding;
    }

    private boolean isOutOfRange(Step.Decimal step, int at, int length) {
        if (length > DECIMAL_BYTES) {
            return true;
        }
        long high = in.data[at] >> 7;
        long low = high;
        for (int i = 0; i < length; i++) {
            high = (high << 8) | (low >>> 56);
            low = (low << 8) | (in.data[at + i] & 0xFF);
        }
        return !isLess(high, low, step.aboveHigh, step.aboveLow) || !isLess(step.belowHigh, step.belowLow, high, low);
    }

    /** Compares two signed numbers of 128 bits. */
    private static boolean isLess(long high, long low, long otherHigh, long otherLow) {
        return high != otherHigh ? high < otherHigh : Long.compareUnsigned(low, otherLow) < 0;
    }

    void uuid(Step step, RecordWriter writer) {
        int length = in.readLength();
        int at = in.at;
        Arrays.fill(uuid, (byte) 0);
        if (length != UUID_LENGTH || !parse(at)) {
            throw in.malformed(at, "'" + step.path + "' must be a UUID such as 123e4567-e89b-12d3-a456-426614174000");
        }
        in.at = at + length;
        writer.bytes(step.slot, uuid, 0, uuid.length);
    }

    private boolean parse(int at) {
        int digits = 0;
        for (int i = 0; i < UUID_LENGTH; i++) {
            byte c = in.data[at + i];
            if (i == 8 || i == 13 || i == 18 || i == 23) {
                if (c != '-') {
                    return false;
                }
                continue;
            }
            int digit = hexDigit(c);
            if (digit < 0) {
                return false;
            }
            uuid[digits >> 1] |= (byte) (digit << (digits % 2 == 0 ? 4 : 0));
            digits++;
        }
        return true;
    }

    private static int hexDigit(byte c) {
        if (c >= '0' && c <= '9') {
            return c - '0';
        }
        int letter = c | 0x20;
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }
}
