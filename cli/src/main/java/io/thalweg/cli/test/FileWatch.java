package io.thalweg.cli.test;

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
 * Waits until a file of some folders changes, comes or goes. It looks at them a few times a second, which works on every file system. It
 * ignores hidden files and those that end in {@code ~}, in which editors keep what is not saved.
 *
 * <p><b>Threads.</b> One.
 */
final class FileWatch {
    private static final long LOOK_MS = 250;

    private final Set<Path> folders = new TreeSet<>();
    private final Set<Path> ignored;
    private final Map<Path, Stamp> seen = new HashMap<>();

    private record Stamp(FileTime modified, long bytes) {}

    /** Watches no folder yet, and never these files. */
    FileWatch(Set<Path> ignored) {
        this.ignored = ignored;
    }

    /** Watches the folders of some files and folders, too, as they are now. */
    void add(Stream<Path> paths) throws IOException {
        for (Path path : paths.map(each -> each.toAbsolutePath().normalize()).toList()) {
            Path parent = path.getParent();
            Path folder = Files.isDirectory(path) || parent == null ? path : parent;
            if (folders.add(folder)) {
                seen.putAll(look(folder));
            }
        }
    }

    /** How many folders are watched. */
    int size() {
        return folders.size();
    }

    /** Returns when something has changed since the folders were added, or since the last call, and changes no more. */
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
                    // Gone since it was listed.
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
