package io.thalweg.runner;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that is written beside its destination and moved there when complete, so that no reader sees half of it. An existing
 * destination that is not a regular file, such as a pipe or {@code /dev/null}, is written directly.
 *
 * <p><b>Threads.</b> May be closed from another thread, as on Ctrl-C.
 */
public final class FinishedFile implements Closeable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path place;
    private final Path beside;
    private final OutputStream out;
    private boolean over;

    private FinishedFile(Path place, Path beside, OutputStream out) {
        this.place = place;
        this.beside = beside;
        this.out = out;
    }

    /** Opens the temporary file; creates the folder if it is missing. */
    static FinishedFile open(String option, Path place) {
        boolean special = Files.exists(place) && !Files.isRegularFile(place);
        Path beside = special ? place : place.resolveSibling(place.getFileName() + ".partial");
        try {
            if (Files.isDirectory(place)) {
                throw UserError.failed(option + " " + place + " is a folder", "name a file in it");
            }
            if (place.getParent() != null) {
                Files.createDirectories(place.getParent());
            }
            OutputStream named = new Named(option + " " + place, Files.newOutputStream(beside));
            return new FinishedFile(place, beside, new BufferedOutputStream(named, BUFFER_BYTES));
        } catch (FileAlreadyExistsException e) {
            throw unwritable(option + " " + place, e.getFile() + " is a file, not a folder", e);
        } catch (IOException e) {
            throw unwritable(option + " " + place, FileReason.of(e), e);
        }
    }

    private static UserError unwritable(String file, String reason, IOException e) {
        return UserError.failed(
                        file + " cannot be written: " + reason, "name a file in a folder that this user may write to")
                .causedBy(e);
    }

    /** Adds the file's name to failures, which occur far from here, in the tasks of a job. */
    private static final class Named extends FilterOutputStream {
        private final String file;

        Named(String file, OutputStream out) {
            super(out);
            this.file = file;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                throw new IOException(file + " cannot be written: " + FileReason.of(e), e);
            }
        }
    }

    OutputStream out() {
        return out;
    }

    /** Bytes that have been written so far, without those that are still buffered. */
    long writtenBytes() {
        try {
            return Files.size(beside);
        } catch (IOException e) {
            return 0; // a pipe, or a file that was moved to its place just now
        }
    }

    /** Moves the complete file to its destination. */
    void finish() throws IOException {
        finishAs(place);
    }

    /** Moves the file to another destination, although it is not complete; a pipe stays where it is. */
    synchronized void finishAs(Path other) throws IOException {
        out.close();
        if (!beside.equals(place)) {
            Files.move(beside, other, StandardCopyOption.REPLACE_EXISTING);
        }
        over = true;
    }

    /** Removes the file if it was not finished. */
    @Override
    public synchronized void close() throws IOException {
        if (over) {
            return;
        }
        over = true;
        out.close();
        if (!beside.equals(place)) {
            Files.deleteIfExists(beside);
        }
    }
}
