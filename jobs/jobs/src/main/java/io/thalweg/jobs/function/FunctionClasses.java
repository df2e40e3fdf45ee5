package io.thalweg.jobs.function;

import io.thalweg.records.row.RowFunction;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The classes of a job's function, loaded once per process for all subtasks of the job, so that these share static fields and
 * native libraries.
 *
 * <p>A function sees its jars, the JDK, the packages of its interface and slf4j, but nothing else of this process, so it may use any
 * version of any library. The jars are copied to temporary files, because rebuilding a jar while its classes are in use would break
 * them.
 *
 * <p><b>Threads.</b> Safe.
 */
final class FunctionClasses implements Closeable {
    private static final Map<String, FunctionClasses> OPEN = new HashMap<>();
    private static final List<String> SHARED =
            List.of("io.thalweg.records.row.", "io.thalweg.records.schema.", "org.slf4j.");

    private final String job;
    private final Path copies;
    private final URLClassLoader loader;
    private int users;

    private FunctionClasses(String job, FunctionJars jars) {
        this.job = job;
        try {
            copies = Files.createTempDirectory("thalweg-function-");
            loader = new URLClassLoader(jars.writeTo(copies), new Shared());
        } catch (IOException e) {
            throw new UncheckedIOException("transform.jars cannot be copied: " + e.getMessage(), e);
        }
    }

    /** Loads the classes of the JDK and those that functions share with jobs. */
    private static final class Shared extends ClassLoader {
        Shared() {
            super(getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (SHARED.stream().noneMatch(name::startsWith)) {
                throw new ClassNotFoundException(name);
            }
            return Class.forName(name, false, RowFunction.class.getClassLoader());
        }
    }

    /**
     * Loads the classes of a job, or returns those already loaded.
     *
     * @param job the id of the job in this process
     */
    static FunctionClasses open(String job, FunctionJars jars) {
        synchronized (OPEN) {
            FunctionClasses classes = OPEN.get(job);
            if (classes == null) {
                classes = new FunctionClasses(job, jars);
                OPEN.put(job, classes);
            }
            classes.users++;
            return classes;
        }
    }

    ClassLoader loader() {
        return loader;
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(job);
        }
        try (Stream<Path> files = Files.walk(copies)) {
            loader.close();
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the copies of transform.jars cannot be removed: " + e.getMessage(), e);
        }
    }
}
