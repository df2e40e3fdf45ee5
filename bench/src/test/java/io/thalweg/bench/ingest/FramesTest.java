package io.thalweg.bench.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FramesTest {
    /** A few are larger than the buffer. */
    private static List<String> messages() {
        Random random = new Random(1);
        List<String> messages = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            messages.add("m".repeat(i % 1_000 == 999 ? 3_000_000 : random.nextInt(2_000)) + i);
        }
        return messages;
    }

    private static byte[] file(List<String> messages) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (String message : messages) {
            byte[] encoded = message.getBytes(StandardCharsets.UTF_8);
            out.writeInt(encoded.length);
            out.write(encoded);
        }
        return bytes.toByteArray();
    }

    /** A stream that gives a little at a time, as some do. */
    private static InputStream slowly(byte[] file) {
        return new ByteArrayInputStream(file) {
            @Override
            public synchronized int read(byte[] into, int from, int length) {
                return super.read(into, from, Math.min(length, 4_097));
            }
        };
    }

    @Test
    void next_allMessages_asWritten() throws IOException {
        try (Frames frames = new Frames(slowly(file(messages())))) {
            for (String message : messages()) {
                assertThat(frames.next()).isTrue();
                assertThat(new String(
                                frames.data(), frames.from(), frames.to() - frames.from(), StandardCharsets.UTF_8))
                        .isEqualTo(message);
            }
            assertThat(frames.next()).isFalse();
        }
    }

    @Test
    void next_cutOff_fails() throws IOException {
        byte[] file = file(List.of("one", "two"));
        try (Frames frames = new Frames(slowly(Arrays.copyOf(file, file.length - 1)))) {
            assertThat(frames.next()).isTrue();
            assertThatThrownBy(frames::next).isInstanceOf(EOFException.class);
        }
    }
}
