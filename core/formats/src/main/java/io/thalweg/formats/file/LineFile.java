package io.thalweg.formats.file;

import io.thalweg.formats.LineReader;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A file of lines, optionally gzipped. Positions are line numbers, because a gzipped file does not support seeking. */
final class LineFile extends RecordFile {
    private final String name;
    private final LineReader lines;
    private long next = 1;
    private boolean held;

    LineFile(Path path, Limits limits) throws IOException {
        name = path.toString();
        lines = LineReader.of(Files.newInputStream(path), name, limits.message());
    }

    @Override
    void skipTo(long position) throws IOException {
        next = Math.max(1, position);
        while (!held && lines.next()) {
            held = lines.lineNumber() >= next;
        }
    }

    @Override
    @Nullable
    public RawBlock read(int most) throws IOException {
        RawBlock block = new RawBlock(name, null);
        while (block.size() < most && block.bytes() < BLOCK_BYTES && (held || lines.next())) {
            held = false;
            int from = lines.offset();
            block.add(lines.bytes(), from, from + lines.length(), lines.totalLength(), lines.lineNumber());
            next = lines.lineNumber() + 1;
        }
        return block.size() == 0 ? null : block;
    }

    @Override
    public long next() {
        return next;
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
