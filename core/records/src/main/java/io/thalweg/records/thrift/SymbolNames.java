package io.thalweg.records.thrift;

import io.thalweg.records.RecordWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Reports the numbers of an enum as names, and numbers without a name as digits.
 *
 * <p><b>Threads.</b> One: the digits are written into a buffer that is reused.
 */
final class SymbolNames {
    private final int[] numbers;
    private final byte[][] names;
    private final byte[] digits = new byte["-2147483648".length()];

    /** Whether {@link #numbers} has no gaps. */
    private final boolean dense;

    /** Creates the names of symbols with distinct, ascending numbers. */
    SymbolNames(List<ThriftType.Symbol> symbols) {
        this.numbers = symbols.stream().mapToInt(ThriftType.Symbol::number).toArray();
        this.names = symbols.stream()
                .map(symbol -> symbol.name().getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        this.dense = numbers.length > 0 && (long) numbers[numbers.length - 1] - numbers[0] == numbers.length - 1;
    }

    void write(int number, int slot, RecordWriter writer) {
        int at = dense ? number - numbers[0] : Arrays.binarySearch(numbers, number);
        if (at >= 0 && at < names.length) {
            byte[] name = names[at];
            writer.bytes(slot, name, 0, name.length);
        } else {
            writeDigits(number, slot, writer);
        }
    }

    private void writeDigits(int number, int slot, RecordWriter writer) {
        int from = digits.length;
        long rest = Math.abs((long) number);
        do {
            digits[--from] = (byte) ('0' + rest % 10);
            rest /= 10;
        } while (rest > 0);
        if (number < 0) {
            digits[--from] = '-';
        }
        writer.bytes(slot, digits, from, digits.length - from);
    }
}
