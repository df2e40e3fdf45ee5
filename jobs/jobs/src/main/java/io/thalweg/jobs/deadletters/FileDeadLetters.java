package io.thalweg.jobs.deadletters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Appends letters as lines to a file, which is created with the first letter, so not at all if every row is good. All subtasks append to
 * the same file, so they must be in one process.
 *
 * @param path of the file, in an existing folder
 */
public record FileDeadLetters(String path) implements DeadLetters {
    @Override
    public DeadLetters.Writer open(int subtask) {
        return new Writer(Path.of(path));
    }

    private static final class Writer implements DeadLetters.Writer {
        private final Path path;
        private @Nullable FileChannel file;

        Writer(Path path) {
            this.path = path;
        }

        /** Writes a line with a single call, because several writers append to one file. */
        @Override
        public synchronized void write(byte[] letter) {
            byte[] line = Arrays.copyOf(letter, letter.length + 1);
            line[letter.length] = '\n';
            try {
                FileChannel to = file == null
                        ? FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                        : file;
                file = to;
                for (ByteBuffer bytes = ByteBuffer.wrap(line); bytes.hasRemaining(); ) {
                    to.write(bytes);
                }
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public synchronized void flush() {
            try {
                if (file != null) {
                    file.force(false);
                }
            } catch (IOException e) {
                throw failed(e);
            }
        }

        private UncheckedIOException failed(IOException e) {
            return new UncheckedIOException("dead letters could not be written to " + path + ": " + e.getMessage(), e);
        }

        @Override
        public synchronized void close() {
            try {
                if (file != null) {
                    file.close();
                }
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }
}
