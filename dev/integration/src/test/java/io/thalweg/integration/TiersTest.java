package io.thalweg.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** Every test has a tier: a command that runs it. CONTRIBUTING.md says what belongs where. */
class TiersTest {
    private static final Path ROOT = Checkout.ROOT;
    private static final Set<String> TIERS = Set.of("test", "faults", "soak");
    private static final Pattern TEST_METHOD =
            Pattern.compile("(?m)^ +@(Test|ParameterizedTest|TestFactory|RepeatedTest)\\b");
    private static final Pattern BASE_CLASS = Pattern.compile("(?m)^(public )?(abstract class|interface) ");
    private static final Pattern TAG = Pattern.compile("@Tag\\(\"(\\w+)\"\\)");

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 20)) {
            return files.filter(file -> file.toString().contains("/src/test/java/"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .toList();
        }
    }

    private static Class<?> load(Path source) {
        String path = source.toString().replaceFirst(".*/src/test/java/", "").replaceFirst("\\.java$", "");
        try {
            return Class.forName(path.replace('/', '.'), false, TiersTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(
                    source
                            + " runs nowhere: add its module to the dependencies and to dependenciesToScan of dev/integration/pom.xml",
                    e);
        }
    }

    private static Set<String> tiers(AnnotatedElement... elements) {
        return Stream.of(elements)
                .flatMap(element -> AnnotationSupport.findRepeatableAnnotations(element, Tag.class).stream())
                .map(Tag::value)
                .filter(TIERS::contains)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void integrationTests_all_haveOneTier() throws IOException {
        List<String> wrong = new ArrayList<>();
        int tests = 0;
        for (Path source : sources()) {
            if (!source.toString().endsWith("IT.java")) {
                continue;
            }
            Class<?> type = load(source);
            for (Method method : type.getDeclaredMethods()) {
                if (AnnotationSupport.isAnnotated(method, Testable.class)) {
                    tests++;
                    Set<String> tiers = tiers(type, method);
                    if (tiers.size() != 1) {
                        wrong.add("%s.%s: %s".formatted(type.getSimpleName(), method.getName(), tiers));
                    }
                }
            }
        }

        assertThat(wrong)
                .as("integration tests that need exactly one of @Tag(\"test\"), @Tag(\"faults\") and @Tag(\"soak\"), "
                        + "on the method or on its class")
                .isEmpty();
        assertThat(tests).isGreaterThan(100);
    }

    @Test
    void unitTests_all_runInMakeTestOrInSoak() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path source : sources()) {
            String name = source.getFileName().toString();
            String text = Files.readString(source);
            if (name.endsWith("IT.java")
                    || !TEST_METHOD.matcher(text).find()
                    || BASE_CLASS.matcher(text).find()) {
                continue;
            }
            if (!name.endsWith("Test.java")) {
                wrong.add(source + ": runs nowhere; its name must end with Test or IT");
            }
            TAG.matcher(text)
                    .results()
                    .map(tag -> tag.group(1))
                    .filter(tag -> !tag.equals("soak"))
                    .forEach(tag -> wrong.add(source + ": @Tag(\"" + tag + "\"); a unit test has none, or soak"));
        }

        assertThat(wrong).isEmpty();
    }
}
