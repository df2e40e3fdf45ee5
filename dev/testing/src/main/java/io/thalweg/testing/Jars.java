package io.thalweg.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles sources into jars, as a user's build does. */
public final class Jars {
    private Jars() {}

    /**
     * Compiles a folder of sources.
     *
     * @param sources a folder with .java files, in folders by package
     * @param jar the jar to write; an existing one is replaced
     * @param needed the class path of the sources
     * @throws IllegalArgumentException if they do not compile; the message is the compiler's
     */
    public static Path compile(Path sources, Path jar, Path... needed) {
        try {
            Path classes = Files.createTempDirectory(jar.toAbsolutePath().getParent(), "classes");
            compile(sources, classes, List.of(needed));
            try (OutputStream file = Files.newOutputStream(jar);
                    JarOutputStream entries = new JarOutputStream(file)) {
                for (Path each : files(classes, ".class")) {
                    entries.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                    Files.copy(each, entries);
                }
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compile(Path sources, Path classes, List<Path> needed) throws IOException {
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "tests run on a JDK");
        List<String> problems = new ArrayList<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-d",
                    classes.toString(),
                    "-classpath",
                    String.join(
                            System.getProperty("path.separator"),
                            needed.stream().map(Path::toString).toList()));
            boolean compiled = compiler.getTask(
                            null,
                            files,
                            problem -> problems.add(problem.toString()),
                            options,
                            null,
                            files.getJavaFileObjectsFromPaths(files(sources, ".java")))
                    .call();
            if (!compiled) {
                throw new IllegalArgumentException(String.join("\n", problems));
            }
        }
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the jar or the folder that a class was loaded from. */
    public static Path of(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
