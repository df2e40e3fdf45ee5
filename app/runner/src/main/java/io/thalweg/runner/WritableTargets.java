package io.thalweg.runner;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks before a run starts that it can write its output. Creates missing folders. */
public final class WritableTargets {
    private static final String REMEDY = "name a place in a folder that this user may write to";

    private WritableTargets() {}

    /**
     * Requires a writable folder.
     *
     * @param key the option or setting that names the folder
     * @throws UserError if no file can be created in it
     */
    static void requireFolder(String key, Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw unwritable(key, folder, e.getFile() + " is a file, not a folder", e);
        } catch (IOException e) {
            throw unwritable(key, folder, FileReason.of(e), e);
        }
        if (!Files.isWritable(folder)) {
            throw unwritable(key, folder, "this user may not write to it", null);
        }
    }

    /**
     * Requires a writable place for a file, without creating the file.
     *
     * @param key the option or setting that names the file
     * @throws UserError if it cannot be written
     */
    public static void requireFile(String key, Path file) {
        if (Files.isDirectory(file)) {
            throw unwritable(key, file, "it is a folder", null);
        }
        if (Files.exists(file)) {
            if (!Files.isWritable(file)) {
                throw unwritable(key, file, "this user may not write to it", null);
            }
            return;
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            requireFolder(key, folder);
        }
    }

    private static UserError unwritable(String key, Path place, String reason, @Nullable IOException cause) {
        UserError error = UserError.failed("%s: %s cannot be written: %s".formatted(key, place, reason), REMEDY);
        return cause == null ? error : error.causedBy(cause);
    }
}
