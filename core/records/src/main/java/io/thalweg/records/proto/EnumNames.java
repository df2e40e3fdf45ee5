package io.thalweg.records.proto;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import io.thalweg.records.RecordWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** The names of an enum's numbers in UTF-8. A number without a name is reported as its digits, because senders may know more names. */
final class EnumNames {
    private static final int DENSE = 1024;
    private static final int LONGEST = 11;

    /** Sorted. */
    private final int[] numbers;

    private final byte[][] names;

    /** Whether the number {@code i} is at position {@code i}. */
    private final boolean dense;

    private final byte[] digits = new byte[LONGEST];

    EnumNames(EnumDescriptor type) {
        // Of several names for a number, the library prints the first.
        List<EnumValueDescriptor> values = type.getValues().stream()
                .filter(value -> value.equals(type.findValueByNumber(value.getNumber())))
                .sorted((a, b) -> Integer.compare(a.getNumber(), b.getNumber()))
                .toList();
        this.numbers = values.stream().mapToInt(EnumValueDescriptor::getNumber).toArray();
        this.names = values.stream().map(EnumNames::utf8).toArray(byte[][]::new);
        this.dense = numbers.length <= DENSE && numbers[0] == 0 && numbers[numbers.length - 1] == numbers.length - 1;
    }

    static byte[] utf8(EnumValueDescriptor value) {
        return value.getName().getBytes(StandardCharsets.UTF_8);
    }

    void write(int number, int slot, RecordWriter writer) {
        int index = dense ? number : Arrays.binarySearch(numbers, number);
        if (index >= 0 && index < names.length) {
            byte[] name = names[index];
            writer.bytes(slot, name, 0, name.length);
        } else {
            writeDigits(number, slot, writer);
        }
    }

    private void writeDigits(int number, int slot, RecordWriter writer) {
        int at = LONGEST;
        for (long rest = Math.abs((long) number); rest > 0 || at == LONGEST; rest /= 10) {
            digits[--at] = (byte) ('0' + rest % 10);
        }
        if (number < 0) {
            digits[--at] = '-';
        }
        writer.bytes(slot, digits, at, LONGEST - at);
    }
}
