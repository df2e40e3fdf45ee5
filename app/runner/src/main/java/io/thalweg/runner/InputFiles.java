package io.thalweg.runner;

import io.thalweg.formats.file.EventFiles;
import io.thalweg.formats.file.TypedFiles;
import io.thalweg.model.view.FeatureView;
import io.thalweg.tables.ParquetEvents;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;

/**
 * The files of {@code --input}, by topic: {@code FILE}, or {@code TOPIC=FILE} where views read several topics. A name may
 * contain {@code *}; all files of a topic are read in name order. {@code -} is the standard input. A pattern may match no file in a
 * folder with nothing but {@code _SUCCESS}: that is a partition without events.
 */
public final class InputFiles {
    private InputFiles() {}

    /** Returns the files by topic, and checks that each can be read before anything starts. */
    public static Map<String, List<String>> of(List<String> inputs, List<FeatureView> views) {
        Set<String> topics = new LinkedHashSet<>();
        views.forEach(view -> topics.add(view.source().topics().get(0)));
        Map<String, List<String>> files = new LinkedHashMap<>();
        for (String input : inputs) {
            String topic = topics.stream()
                    .filter(name -> input.startsWith(name + "="))
                    .findFirst()
                    .orElse("");
            if (topic.isEmpty() && topics.size() > 1) {
                throw UserError.usage(
                        "--input " + input + " names no topic, and the views read " + String.join(", ", topics),
                        "write --input " + topics.iterator().next() + "=" + input);
            }
            String name = topic.isEmpty() ? input : input.substring(topic.length() + 1);
            String key = topic.isEmpty() ? topics.iterator().next() : topic;
            files.computeIfAbsent(key, k -> new ArrayList<>()).addAll(expand(name));
        }
        for (String topic : topics) {
            if (!files.containsKey(topic)) {
                throw UserError.usage("no --input for topic " + topic, "add --input " + topic + "=FILE");
            }
        }
        files.values().forEach(names -> names.sort(null));
        requireStandardInputOnce(files, views);
        requireFraming(files, views);
        return files;
    }

    private static void requireFraming(Map<String, List<String>> files, List<FeatureView> views) {
        for (FeatureView view : views) {
            for (String name : files.getOrDefault(view.source().topics().get(0), List.of())) {
                String problem = EventFiles.unfit(name, view.source().encoding());
                if (problem != null) {
                    throw UserError.usage("--input " + problem, "view " + view.qualifiedName() + " reads it");
                }
            }
        }
    }

    /** Requires that only one source reads the standard input, because two readers would each get a part of it. */
    private static void requireStandardInputOnce(Map<String, List<String>> files, List<FeatureView> views) {
        long readers = reads(files, views).filter("-"::equals).count();
        if (readers > 1) {
            throw UserError.usage(
                    "--input - can be read once, but %d sources of these views or options read it".formatted(readers),
                    "name a file for the others");
        }
    }

    /** Returns each file as often as it is read: views with different {@code source}s read a topic separately. */
    private static Stream<String> reads(Map<String, List<String>> files, List<FeatureView> views) {
        return views.stream()
                .map(FeatureView::source)
                .distinct()
                .flatMap(source -> files.getOrDefault(source.topics().get(0), List.of()).stream());
    }

    /** Bytes that the views read; 0 if that is unknown or not meaningful, as for gzip and Parquet. */
    static long bytes(Map<String, List<String>> files, List<FeatureView> views) {
        long total = 0;
        for (String name : reads(files, views).toList()) {
            if (name.equals("-")
                    || name.endsWith(".gz")
                    || TypedFiles.isNamed(name)
                    || !Files.isRegularFile(Path.of(name))) {
                return 0;
            }
            total += Path.of(name).toFile().length();
        }
        return total;
    }

    /** Returns the files of several patterns, those of each in name order, and checks that each can be read. */
    static List<Path> expandAll(List<String> patterns) {
        return patterns.stream()
                .flatMap(pattern -> expand(pattern).stream())
                .map(Path::of)
                .toList();
    }

    private static List<String> expand(String name) {
        if (name.equals("-")) {
            return List.of(name);
        }
        List<String> names = name.contains("*") ? matching(name) : List.of(name);
        names.forEach(InputFiles::check);
        return names;
    }

    /** Returns the files of views in which there is no event; what cannot be read is left to the job. */
    public static List<Path> empty(Map<String, List<String>> files, List<FeatureView> views) {
        List<Path> empty = new ArrayList<>();
        for (FeatureView view : views) {
            for (String name : files.getOrDefault(view.source().topics().get(0), List.of())) {
                Path file = Path.of(name);
                if (!empty.contains(file)
                        && isEmpty(
                                file,
                                path -> TypedFiles.isNamed(name)
                                        ? ParquetEvents.isEmpty(path)
                                        : EventFiles.isEmpty(path, view.source().encoding()))) {
                    empty.add(file);
                }
            }
        }
        return empty;
    }

    /** Looks into a file. */
    interface Look {
        boolean isEmpty(Path file) throws IOException;
    }

    /** Whether there is nothing in a file; false for what cannot be read twice or not at all. */
    static boolean isEmpty(Path file, Look look) {
        try {
            return Files.isRegularFile(file) && look.isEmpty(file);
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    private static List<String> matching(String pattern) {
        Path whole = Path.of(pattern);
        Path folder = whole.getParent() == null ? Path.of(".") : whole.getParent();
        PathMatcher matcher = matcher(whole);
        try (Stream<Path> entries = Files.list(folder)) {
            List<String> names = entries.filter(path -> matcher.matches(path.getFileName()))
                    .map(Path::toString)
                    .sorted()
                    .toList();
            if (names.isEmpty() && !isDone(folder)) {
                throw UserError.failed(
                        "--input " + pattern + " matches no file", "quote the pattern, and see: ls " + folder);
            }
            return names;
        } catch (IOException e) {
            throw UserError.failed(
                    "--input " + pattern + ": cannot list " + folder, "is it a folder that you may read?");
        }
    }

    /** Whether a writer has marked a folder as complete and has written nothing else into it. */
    private static boolean isDone(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            List<String> names =
                    entries.map(entry -> entry.getFileName().toString()).toList();
            return names.contains("_SUCCESS")
                    && names.stream().allMatch(name -> name.startsWith("_") || name.startsWith("."));
        }
    }

    private static PathMatcher matcher(Path pattern) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + pattern.getFileName());
        } catch (PatternSyntaxException e) {
            throw UserError.usage(
                            "--input " + pattern + " is not a pattern: " + e.getDescription(),
                            "write \\ before a bracket or brace that is part of a name")
                    .causedBy(e);
        }
    }

    private static void check(String name) {
        Path path = Path.of(name);
        if (!Files.exists(path)) {
            throw UserError.failed(
                    "--input " + name + " does not exist",
                    "the working directory is " + Path.of("").toAbsolutePath());
        }
        if (Files.isDirectory(path)) {
            throw UserError.failed(
                    "--input " + name + " is a folder", "name its files, such as --input '" + name + "/*.jsonl'");
        }
        if (!Files.isReadable(path)) {
            throw UserError.failed("--input " + name + " may not be read by this user", "see: ls -l " + name);
        }
    }
}
