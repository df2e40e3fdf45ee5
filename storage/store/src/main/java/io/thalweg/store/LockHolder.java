package io.thalweg.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Finds the process that holds the lock of a file, which only Linux reports. */
public final class LockHolder {
    private static final Path PROC = Path.of("/proc");

    private LockHolder() {}

    /** Returns {@code (pid 4711)} behind a space; empty text if the process is not known. */
    public static String shown(Path file) {
        OptionalLong pid = pid(file);
        return pid.isPresent() ? " (pid " + pid.getAsLong() + ")" : "";
    }

    /** Returns the process that holds a lock of the file; empty if there is none, or none that this user may see. */
    static OptionalLong pid(Path file) {
        try (Stream<String> locks = Files.lines(PROC.resolve("locks"))) {
            // 3: POSIX  ADVISORY  WRITE 4711 08:01:1234567 0 EOF
            String inode = ":" + Files.getAttribute(file, "unix:ino");
            return locks.map(line -> line.strip().split("\\s+"))
                    .filter(fields -> fields.length > 5 && fields[5].endsWith(inode))
                    .mapToLong(fields -> Long.parseLong(fields[4]))
                    .filter(pid -> pid > 0 && hasOpen(pid, file))
                    .findFirst();
        } catch (IOException | RuntimeException e) { // RuntimeException: another system, or another format
            return OptionalLong.empty();
        }
    }

    /** Files of other disks have the same inodes. */
    private static boolean hasOpen(long pid, Path file) {
        try (Stream<Path> open = Files.list(PROC.resolve(Long.toString(pid)).resolve("fd"))) {
            return open.anyMatch(descriptor -> isSame(descriptor, file));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isSame(Path descriptor, Path file) {
        try {
            return Files.isSameFile(descriptor, file);
        } catch (IOException e) {
            return false;
        }
    }
}
