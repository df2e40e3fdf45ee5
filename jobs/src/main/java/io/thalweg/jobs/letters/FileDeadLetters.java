package io.thalweg.jobs.letters;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Letters as lines at the end of a file, which is made when there is a first letter, so where all is well never. All subtasks append to
 * the one file, so they are in one process.
 *
 * @param path of a folder that is there
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

        /** One write a line: several writers append to one file. */
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
