package io.thalweg.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class ConsoleFilesTest {
    /** All scripts, compressed as they are sent. */
    private static final int SCRIPT_BYTES_MAX = 62_000;

    private static byte[] bytes(String path) throws IOException {
        try (InputStream file = ConsoleFiles.class.getResourceAsStream("/" + ConsoleFiles.FOLDER + path)) {
            return Objects.requireNonNull(file, path).readAllBytes();
        }
    }

    private static int compressed(byte[] file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(file);
        }
        return bytes.size();
    }

    @Test
    void scripts_allOfThem_areSmall() throws Exception {
        int sum = 0;
        for (String path : ConsoleFiles.PATHS) {
            if (path.endsWith(".js")) {
                sum += compressed(bytes(path));
            }
        }
        assertThat(sum).isBetween(SCRIPT_BYTES_MAX / 2, SCRIPT_BYTES_MAX);
    }

    @Test
    void files_built_haveNoCommentsAndAllTheirCode() throws Exception {
        for (String path : ConsoleFiles.PATHS) {
            if (path.endsWith(".js")) {
                String script = new String(bytes(path), StandardCharsets.UTF_8);
                assertThat(script.lines())
                        .as(path)
                        .noneMatch(line -> line.strip().startsWith("//"));
                assertThat(script).as(path).doesNotContain("/**").containsAnyOf("export ", "import ");
            }
        }
    }
}
