package io.thalweg.jobs.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.testing.Jars;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each test compiles functions and packs them into jars, which are loaded like those of users. */
class OpenFunctionTest {
    private static final Struct EVENT =
            new Struct(List.of(Field.required("id", FieldType.INT64), Field.optional("note", FieldType.TEXT)));

    @TempDir
    Path folder;

    private final String job = UUID.randomUUID().toString();
    private final List<Row> rows = new ArrayList<>();
    private Path jar;
    private boolean isCancelled;

    @BeforeEach
    void nameJar() {
        jar = folder.resolve("functions.jar");
    }

    private void source(String name, String text) throws IOException {
        Path file = folder.resolve("src").resolve(name.replace('.', '/') + ".java");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Transform transform(String className, Map<String, String> config) {
        Jars.compile(folder.resolve("src"), jar, Jars.of(RowFunction.class));
        return transform(className, List.of(jar.toString()), config);
    }

    private static Transform transform(String className, List<String> jars, Map<String, String> config) {
        return new Transform(className, jars, config, DurationText.parse("10m"));
    }

    private static OpenFunction open(String job, Transform transform) {
        return OpenFunction.open(job, transform, FunctionJars.read(transform), EVENT);
    }

    /** Compiles and opens a function with this body of {@code apply} and further members. */
    private OpenFunction open(String apply, String members) throws IOException {
        source("example.F", """
                package example;
                import io.thalweg.records.row.*;
                import io.thalweg.records.schema.*;
                import java.util.*;
                public class F implements RowFunction {
                    public void apply(Row event, Output out) throws Exception { %s }
                    %s
                }
                """.formatted(apply, members));
        return open(job, transform("example.F", Map.of()));
    }

    private int apply(OpenFunction function) {
        return function.apply(
                new Row(function.eventShape()).set("id", 7L).set("note", "n"),
                row -> rows.add(row.copy()),
                () -> isCancelled);
    }

    private void bad(String apply, RecordFault fault, String detail) throws IOException {
        try (OpenFunction function = open(apply, "")) {
            assertThatThrownBy(() -> apply(function))
                    .as(apply)
                    .isInstanceOfSatisfying(
                            BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(fault))
                    .hasMessageContaining(detail);
        }
    }

    @Test
    void apply_answers_areRows() throws IOException {
        try (OpenFunction function = open("out.emit(event);", "")) {
            assertThat(apply(function)).isEqualTo(1);
            assertThat(rows).hasToString("[{id: 7, note: n}]");
        }
        rows.clear();
        try (OpenFunction function = open("for (long i = 0; i < 3; i++) { out.emit(event.set(\"id\", i)); }", "")) {
            assertThat(apply(function)).isEqualTo(3);
            assertThat(rows).hasToString("[{id: 0, note: n}, {id: 1, note: n}, {id: 2, note: n}]");
        }
        rows.clear();
        try (OpenFunction function = open("out.drop(); out.drop();", "")) {
            assertThat(apply(function)).isZero();
            assertThat(rows).isEmpty();
        }
    }

    @Test
    void apply_failures_areThoseOfTheEvent() throws IOException {
        bad("out.reject(\"too far\");", RecordFault.REJECTED, "too far");
        bad("out.emit(event); out.reject(\"x\".repeat(2000));", RecordFault.REJECTED, "x".repeat(1000) + "…");
        bad("", RecordFault.FAILED, "the function has not answered; it must emit, drop or reject each event");
        bad("out.emit(event); out.drop();", RecordFault.FAILED, "drop after emit");
        bad("out.drop(); out.emit(event);", RecordFault.FAILED, "emit after drop");
        bad(
                "throw new java.io.IOException(\"gone\");",
                RecordFault.FAILED,
                "java.io.IOException: gone at example.F.apply(F.java:6)");
        bad(
                "event.get(\"idd\");",
                RecordFault.FAILED,
                "there is no field 'idd'; the fields are: id, note at example.F");
        bad("apply(event, out);", RecordFault.FAILED, "java.lang.StackOverflowError at example.F.apply(F.java:6)");
        bad("assert false; throw new AssertionError(\"no\");", RecordFault.FAILED, "java.lang.AssertionError: no");
        bad(
                "throw new RuntimeException() { public String getMessage() { throw new IllegalStateException(); } };",
                RecordFault.FAILED,
                "example.F$1 at example.F.apply");
        bad(
                "throw new IllegalStateException(\"a\", new java.util.NoSuchElementException(\"b\"));",
                RecordFault.FAILED,
                ", caused by java.util.NoSuchElementException: b");
    }

    @Test
    void apply_emitThatFails_failsTheEventAlsoIfItIsCaught() throws IOException {
        try (OpenFunction function = open("try { out.emit(event); } catch (RuntimeException e) { out.drop(); }", "")) {
            assertThatThrownBy(() -> function.apply(
                            new Row(function.eventShape()),
                            row -> {
                                throw new IllegalArgumentException("'id' must have a value");
                            },
                            () -> isCancelled))
                    .isInstanceOf(BadRecordException.class)
                    .hasMessageContaining("'id' must have a value");
        }
    }

    @Test
    void apply_answerAfterTheCall_isRefused() throws IOException {
        try (OpenFunction function =
                open("if (last != null) { last.emit(event); } last = out; out.drop();", "private Output last;")) {
            assertThat(apply(function)).isZero();
            assertThatThrownBy(() -> apply(function))
                    .isInstanceOf(BadRecordException.class)
                    .hasMessageContaining("the call is over");
        }
    }

    @Test
    void apply_outOfMemory_isNotTheEvents() throws IOException {
        try (OpenFunction function = open("throw new OutOfMemoryError(\"heap\");", "")) {
            assertThatThrownBy(() -> apply(function)).isInstanceOf(OutOfMemoryError.class);
        }
    }

    @Test
    void apply_cancelled_isNotTheEvents() throws IOException {
        isCancelled = true;
        try (OpenFunction function = open(
                "try { Thread.sleep(60_000); } catch (InterruptedException e) { throw new RuntimeException(e); }",
                "")) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> apply(function)).isInstanceOf(Failure.InterruptedCallException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void apply_functionInterruptsItself_isTheEventsAndStaysWithIt() throws IOException {
        bad(
                "Thread.currentThread().interrupt(); Thread.sleep(60_000);",
                RecordFault.FAILED,
                "java.lang.InterruptedException: sleep interrupted at example.F.apply(F.java:6)");
        try (OpenFunction function = open("Thread.currentThread().interrupt(); out.emit(event);", "")) {
            assertThat(apply(function)).isEqualTo(1);
            assertThat(Thread.interrupted()).as("the thread of the task").isFalse();
        }
    }

    @Test
    void apply_classOfThisProcess_isNotSeen() throws IOException {
        bad(
                "Class.forName(\"org.apache.flink.api.common.JobID\");",
                RecordFault.FAILED,
                "java.lang.ClassNotFoundException: org.apache.flink.api.common.JobID");
        bad(
                "Thread.currentThread().getContextClassLoader().loadClass(\"io.thalweg.jobs.function.FunctionOutput\");",
                RecordFault.FAILED,
                "java.lang.ClassNotFoundException: io.thalweg.jobs.function.FunctionOutput");
        bad("Class.forName(\"java.sql.Date\"); out.reject(\"seen\");", RecordFault.REJECTED, "seen");
        bad("Class.forName(\"org.slf4j.Logger\"); out.reject(\"seen\");", RecordFault.REJECTED, "seen");
    }

    @Test
    void apply_libraryThatThisProcessHasToo_isThatOfTheJar() throws IOException {
        source("com.fasterxml.jackson.core.JsonFactory", """
                package com.fasterxml.jackson.core;
                public class JsonFactory { public static String whose() { return "mine"; } }
                """);
        bad("out.reject(com.fasterxml.jackson.core.JsonFactory.whose());", RecordFault.REJECTED, "mine");
    }

    @Test
    void apply_classThatIsMissing_failsTheEvent() throws IOException {
        source("example.Gone", "package example; class Gone { static void now() {} }");
        source("example.G", """
                package example;
                import io.thalweg.records.row.*;
                public class G implements RowFunction {
                    public void apply(Row event, Output out) { Gone.now(); }
                }
                """);
        Transform all = transform("example.G", Map.of());
        Files.delete(folder.resolve("src/example/Gone.java"));
        Path without = folder.resolve("without.jar");
        Jars.compile(folder.resolve("src"), without, Jars.of(RowFunction.class), jar);
        try (OpenFunction function = open(job, transform("example.G", List.of(without.toString()), all.config()))) {
            assertThatThrownBy(() -> apply(function))
                    .isInstanceOf(BadRecordException.class)
                    .hasMessageContaining("java.lang.NoClassDefFoundError: example/Gone at example.G.apply");
        }
    }

    @Test
    void open_twoOfOneJob_shareStaticFields() throws IOException {
        String counter = "private static int calls;";
        String count = "if (++calls == 2) { out.reject(\"second\"); } else { out.drop(); }";
        try (OpenFunction first = open(count, counter);
                OpenFunction second = open(count, counter);
                OpenFunction other = open("other", transform("example.F", Map.of()))) {
            assertThat(apply(first)).isZero();
            assertThat(apply(other)).isZero();
            assertThatThrownBy(() -> apply(second)).hasMessageContaining("second");
        }
        try (OpenFunction later = open(count, counter)) {
            assertThat(apply(later))
                    .as("classes are loaded again once nothing uses them")
                    .isZero();
        }
    }

    @Test
    void apply_jarReplacedWhileOpen_goesOn() throws IOException {
        source("example.Late", "package example; class Late { static String text() { return \"late\"; } }");
        try (OpenFunction function = open("out.reject(Late.text());", "")) {
            Files.writeString(jar, "not a jar any more");
            assertThatThrownBy(() -> apply(function)).hasMessageContaining("late");
        }
    }

    @Test
    void open_afterTheJarIsGone_usesWhatWasRead() throws IOException {
        source("example.F", """
                package example;
                import io.thalweg.records.row.*;
                public class F implements RowFunction {
                    public void apply(Row event, Output out) { out.reject("read before"); }
                }
                """);
        Transform transform = transform("example.F", Map.of());
        FunctionJars jars = FunctionJars.read(transform);
        Files.delete(jar);
        try (OpenFunction function = OpenFunction.open(job, transform, jars, EVENT)) {
            assertThatThrownBy(() -> apply(function)).hasMessageContaining("read before");
        }
    }

    @Test
    void open_folderOfClasses_isAJar() throws IOException {
        source("example.F", """
                package example;
                import io.thalweg.records.row.*;
                public class F implements RowFunction {
                    public void apply(Row event, Output out) {
                        out.reject(getClass().getResource("/text/a.txt") == null ? "missing" : "found");
                    }
                }
                """);
        Transform compiled = transform("example.F", Map.of());
        Path classes = folder.resolve("classes");
        try (FileSystem archive = FileSystems.newFileSystem(jar)) {
            Files.createDirectories(classes.resolve("example"));
            Files.copy(archive.getPath("example/F.class"), classes.resolve("example/F.class"));
        }
        Files.createDirectories(classes.resolve("text"));
        Files.writeString(classes.resolve("text/a.txt"), "a");
        try (OpenFunction function =
                open(job, transform("example.F", List.of(classes.toString()), compiled.config()))) {
            assertThatThrownBy(() -> apply(function)).hasMessageContaining("found");
        }
    }

    @Test
    void close_copiesOfJars_areRemoved() throws IOException {
        List<Path> before = copies();
        try (OpenFunction function = open("out.drop();", "")) {
            assertThat(apply(function)).isZero();
            assertThat(copies()).hasSize(before.size() + 1);
        }
        assertThat(copies()).isEqualTo(before);
    }

    private static List<Path> copies() throws IOException {
        try (var files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("thalweg-function-"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void schema_ofTheFunction_addsToTheEvent() throws IOException {
        try (OpenFunction function =
                open("out.emit(event.set(\"city\", \"Berlin\")); out.emit(out.row().set(\"city\", \"Bonn\"));", """
                public Struct schema(Struct event) {
                    return new Struct(List.of(event.fields().get(0), Field.optional("city", FieldType.TEXT)));
                }
                """)) {
            assertThat(function.table().names()).containsExactly("id", "city");
            assertThat(function.eventShape().names()).containsExactly("id", "note", "city");
            assertThat(apply(function)).isEqualTo(2);
            assertThat(rows).hasToString("[{id: 7, note: n, city: Berlin}, {city: Bonn}]");
        }
    }

    @Test
    void open_config_isGiven() throws IOException {
        source("example.C", """
                package example;
                import io.thalweg.records.row.*;
                import java.util.Map;
                public class C implements RowFunction {
                    private String region;
                    public void open(Map<String, String> config) {
                        region = config.get("region");
                        if (region == null) { throw new IllegalArgumentException("region is missing"); }
                    }
                    public void apply(Row event, Output out) { out.reject(region); }
                }
                """);
        try (OpenFunction function = open(job, transform("example.C", Map.of("region", "eu")))) {
            assertThatThrownBy(() -> apply(function)).hasMessage("eu");
        }
        refused(
                transform("example.C", Map.of()),
                "transform.config: open of example.C of " + jar
                        + " failed: java.lang.IllegalArgumentException: region is missing at example.C.open(C.java:8)");
    }

    private void refused(Transform transform, String why) {
        assertThatThrownBy(() -> open(job, transform).close())
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(why);
    }

    @Test
    void open_classesThatCannotBeUsed_areRefusedWithTheReason() throws IOException {
        String header = "package example; import io.thalweg.records.row.*; ";
        String apply = "public void apply(Row event, Output out) { out.drop(); } ";
        source("example.Plain", header + "public class Plain {}");
        source("example.Hidden", header + "class Hidden implements RowFunction { " + apply + "}");
        source(
                "example.Needy",
                header + "public class Needy implements RowFunction { public Needy(int i) {} " + apply + "}");
        source(
                "example.Angry",
                header + "public class Angry implements RowFunction { public Angry() { throw new Error(\"no\"); } "
                        + apply + "}");
        source(
                "example.Vain",
                header + "public class Vain implements RowFunction { public io.thalweg.records.schema.Struct schema("
                        + "io.thalweg.records.schema.Struct event) { return null; } " + apply + "}");
        transform("example.Plain", Map.of());
        refused(
                named("example.Nothing"),
                "transform.class: there is no class example.Nothing of " + jar + "; correct the name");
        refused(named("example.Plain"), "must implement io.thalweg.records.row.RowFunction");
        refused(named("example.Hidden"), "must be public, not abstract, and have a public constructor");
        refused(named("example.Needy"), "must be public, not abstract, and have a public constructor");
        refused(named("example.Angry"), "the constructor of example.Angry of " + jar + " failed: java.lang.Error: no");
        refused(named("example.Vain"), "transform.class: schema of example.Vain");
        refused(
                transform("example.F", List.of(folder + "/no.jar"), Map.of()),
                "transform.jars: " + folder + "/no.jar cannot be read; build it, or correct the path");
    }

    private Transform named(String className) {
        return transform(className, List.of(jar.toString()), Map.of());
    }

    @Test
    void open_classOfANewerJava_saysForWhichToCompile() throws IOException {
        source("example.F", """
                package example;
                public class F implements io.thalweg.records.row.RowFunction {
                    public void apply(io.thalweg.records.row.Row event, io.thalweg.records.row.Output out) {}
                }
                """);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        transform("example.F", Map.of());
        try (var zip = new java.util.zip.ZipFile(jar.toFile())) {
            byte[] bytes = zip.getInputStream(zip.getEntry("example/F.class")).readAllBytes();
            bytes[7] = 127;
            Files.createDirectory(classes.resolve("example"));
            Files.write(classes.resolve("example/F.class"), bytes);
        }
        refused(
                transform("example.F", List.of(classes.toString()), Map.of()),
                "; compile it for Java " + Runtime.version().feature() + " or older");
    }
}
