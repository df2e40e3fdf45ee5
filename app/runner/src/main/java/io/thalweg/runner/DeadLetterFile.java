package io.thalweg.runner;

import io.thalweg.formats.LineReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/**
 * Dead letters in a file. The file stays unchanged; the letters that are left go to a new one.
 *
 * @param file lines of JSON
 * @param again the new file
 */
public record DeadLetterFile(Path file, Path again) implements DeadLetterSource {
    private static final int LONGEST = 32 << 20;

    /** {@code rides.dead.jsonl} becomes {@code rides.dead.again.jsonl}. */
    public static Path again(Path file) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot <= 0
                ? file.resolveSibling(name + ".again")
                : file.resolveSibling(name.substring(0, dot) + ".again" + name.substring(dot));
    }

    @Override
    public String text() {
        return file.toString();
    }

    @Override
    public String leftText() {
        return again.toString();
    }

    @Override
    public void requireWritable() {
        if (Files.exists(again)) {
            throw UserError.usage(
                    "%s exists: the letters of %s were replayed before, and those that are left are there"
                            .formatted(again, file),
                    "replay that file, or name another one with --dead-letters");
        }
        WritableTargets.requireFile("dead letters", again);
    }

    @Override
    public void read(Properties plan, Lines lines) throws IOException {
        lines(file, lines);
    }

    static void lines(Path file, Lines lines) throws IOException {
        try (LineReader reader = LineReader.of(Files.newInputStream(file), file.toString(), LONGEST)) {
            while (reader.next()) {
                lines.take(reader.bytes(), reader.offset(), reader.length());
            }
        }
    }

    @Override
    public boolean isOwn() {
        return true;
    }

    @Override
    public boolean isFinished(Properties plan) {
        return false;
    }

    @Override
    public void finish(Properties plan, Path left) throws IOException {
        Path partial = again.resolveSibling("." + again.getFileName() + ".part");
        Files.copy(left, partial, StandardCopyOption.REPLACE_EXISTING);
        Files.move(partial, again, StandardCopyOption.ATOMIC_MOVE);
    }
}
