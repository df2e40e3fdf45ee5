package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The internal classes of Kafka and Flink that the product uses, against a frozen list. Each of them may change in any release, so
 * adding one is a deliberate decision. Kafka's are those outside the packages of its Javadoc; Flink's are those without a stability
 * annotation.
 */
class InternalClassesTest {
    private static final Path FROZEN = Path.of("src", "test", "resources", "internal-classes.txt");
    /** Not a part of the product. */
    private static final String TESTING = "io.thalweg.testing";

    private static final Pattern KAFKAS_JAVADOC = Pattern.compile("org\\.apache\\.kafka\\."
            + "(clients\\.(admin|consumer|producer)|common|common\\.(acl|annotation|config|errors|header|metrics|quota|resource"
            + "|security\\..*|serialization)|server\\..*)");
    private static final Set<String> FLINKS_PROMISES = Set.of(
            "org.apache.flink.annotation.Public",
            "org.apache.flink.annotation.PublicEvolving",
            "org.apache.flink.annotation.Experimental");

    @Test
    void product_usesOnlyTheFrozenInternalClasses() throws IOException {
        TreeSet<String> used = new TreeSet<>();
        for (JavaClass ours : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("io.thalweg")) {
            if (ours.getPackageName().startsWith(TESTING)) {
                continue;
            }
            ours.getDirectDependenciesFromSelf().forEach(dependency -> {
                JavaClass other = dependency.getTargetClass().getBaseComponentType();
                if (isInternal(other)) {
                    used.add(topLevel(other).getName());
                }
            });
        }
        List<String> frozen = Files.readAllLines(FROZEN).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();

        assertThat(used)
                .as(
                        "internal classes in use; if a change is intended, edit app/cli/%s and say why in the commit",
                        FROZEN)
                .containsExactlyElementsOf(new TreeSet<>(frozen));
    }

    private static boolean isInternal(JavaClass type) {
        String packageName = type.getPackageName();
        if (packageName.startsWith("org.apache.kafka")) {
            return !KAFKAS_JAVADOC.matcher(packageName).matches();
        }
        return packageName.startsWith("org.apache.flink") && !isPromised(type);
    }

    private static boolean isPromised(JavaClass type) {
        return type.getAnnotations().stream()
                        .anyMatch(annotation ->
                                FLINKS_PROMISES.contains(annotation.getRawType().getName()))
                || type.getEnclosingClass().map(InternalClassesTest::isPromised).orElse(false);
    }

    private static JavaClass topLevel(JavaClass type) {
        return type.getEnclosingClass().map(InternalClassesTest::topLevel).orElse(type);
    }
}
