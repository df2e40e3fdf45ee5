package io.thalweg.records.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DrawTest {
    private final Draw draw = new Draw(true);

    @Test
    void name_numbersOneBitApart_differ() {
        Set<String> names = new HashSet<>();
        names.add(name(0));
        for (int bit = 0; bit < 64; bit++) {
            names.add(name(1L << bit));
        }
        assertThat(names).hasSize(65);
    }

    private String name(long number) {
        return new String(draw.name(number), 0, 13, StandardCharsets.US_ASCII);
    }

    @Test
    void text_anyLength_hasLettersAndDigitsOnly() {
        for (int length = 0; length < 1_000; length++) {
            String text = new String(draw.text(length), 0, length, StandardCharsets.ISO_8859_1);
            assertThat(text).hasSize(length).matches("[a-z0-5]*");
        }
    }
}
