package io.thalweg.pipelinetest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Waits until a file of some folders is changed, created or deleted. It polls a few times per second, which works on every file system.
 * It ignores hidden files and those that end in {@code ~}, where editors keep unsaved changes.
 *
 * <p><b>Threads.</b> One.
 */
final class FileWatch {
    private static final long LOOK_MS = 250;

    private final Set<Path> folders = new TreeSet<>();
    private final Set<Path> ignored;
    private final Map<Path, Stamp> seen = new HashMap<>();

    private record Stamp(FileTime modified, long bytes) {}

    /** Creates a watch without folders, which ignores these files. */
    FileWatch(Set<Path> ignored) {
        this.ignored = ignored;
    }

    /** Adds the folders of these files and folders, in their current state. */
    void add(Stream<Path> paths) throws IOException {
        for (Path path : paths.map(each -> each.toAbsolutePath().normalize()).toList()) {
            Path parent = path.getParent();
            Path folder = Files.isDirectory(path) || parent == null ? path : parent;
            if (folders.add(folder)) {
                seen.putAll(look(folder));
            }
        }
    }

    /** The number of watched folders. */
    int size() {
        return folders.size();
    }

    /** Waits until something has changed since the folders were added, or since the last call, and the changes have stopped. */
    void await() throws IOException, InterruptedException {
        Map<Path, Stamp> now = look();
        while (now.equals(seen)) {
            Thread.sleep(LOOK_MS);
            now = look();
        }
        Map<Path, Stamp> before;
        do {
            before = now;
            Thread.sleep(LOOK_MS);
            now = look();
        } while (!now.equals(before));
        seen.clear();
        seen.putAll(now);
    }

    private Map<Path, Stamp> look() throws IOException {
        Map<Path, Stamp> stamps = new HashMap<>();
        for (Path folder : folders) {
            stamps.putAll(look(folder));
        }
        return stamps;
    }

    private Map<Path, Stamp> look(Path folder) throws IOException {
        Map<Path, Stamp> stamps = new HashMap<>();
        if (!Files.isDirectory(folder)) {
            return stamps;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(this::counts).toList()) {
                try {
                    BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                    if (now.isRegularFile()) {
                        stamps.put(file, new Stamp(now.lastModifiedTime(), now.size()));
                    }
                } catch (NoSuchFileException e) {
                    // The file was deleted after it was listed.
                }
            }
        }
        return stamps;
    }

    private boolean counts(Path file) {
        String name = String.valueOf(file.getFileName());
        return !name.startsWith(".") && !name.endsWith("~") && !ignored.contains(file);
    }
}
