package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The dependencies that each module's pom may have outside its tests: the module table of the architecture. A new dependency
 * is a decision to be recorded in docs/adr.
 */
class ModuleGraphTest {
    private static final Path ROOT = Checkout.ROOT;
    private static final String LOGGING = "org.slf4j:slf4j-api";

    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            entry(
                    "dev/testing",
                    "org.junit.jupiter:junit-jupiter",
                    "org.assertj:assertj-core",
                    "com.fasterxml.jackson.core:*",
                    "org.apache.flink:flink-rpc-akka-loader"),
            entry("core/kernel", "com.uber:h3"),
            entry("core/model", "kernel", "com.fasterxml.jackson.core:*", "org.snakeyaml:snakeyaml-engine"),
            entry("core/api", "com.google.protobuf:*", "io.grpc:*"),
            // For the build of a user's function.
            entry("core/row"),
            entry(
                    "core/records",
                    "row",
                    "org.apache.avro:avro",
                    "com.fasterxml.jackson.core:*",
                    "com.google.protobuf:*",
                    "com.github.luben:zstd-jni",
                    "org.xerial.snappy:snappy-java",
                    "at.yawk.lz4:lz4-java"),
            entry("storage/warehouse", "records"),
            entry(
                    "storage/google",
                    "warehouse",
                    "com.google.cloud:google-cloud-bigquerystorage",
                    "com.google.cloud:google-cloud-pubsub",
                    LOGGING),
            entry("core/formats", "model", "records", "com.fasterxml.jackson.core:*", "org.apache.avro:avro", LOGGING),
            entry(
                    "storage/tables",
                    "formats",
                    "records",
                    "org.apache.parquet:parquet-hadoop",
                    "org.apache.iceberg:iceberg-core",
                    "org.apache.hadoop:*",
                    LOGGING),
            entry("core/verify", "kernel", "formats"),
            entry("storage/store", "model", "org.rocksdb:rocksdbjni", LOGGING),
            entry("storage/feast", "store"),
            entry("storage/history", "kernel", "model", "records", "tables"),
            entry("jobs/live", "kernel", "model", "api", "io.grpc:*", "com.fasterxml.jackson.core:*"),
            entry("storage/store-redis", "store", "feast", "formats", "io.lettuce:lettuce-core", LOGGING),
            entry("storage/store-cassandra", "store", "org.apache.cassandra:java-driver-core", LOGGING),
            // For tests, in a process of its own.
            entry("storage/store-cassandra/server", "org.apache.cassandra:cassandra-all"),
            entry(
                    "storage/tables/catalog",
                    "org.apache.iceberg:iceberg-core",
                    "org.eclipse.jetty.ee10:jetty-ee10-servlet",
                    "org.xerial:sqlite-jdbc",
                    "org.apache.hadoop:*",
                    "org.slf4j:slf4j-simple"),
            // For any Java service: the core needs the JDK, each adapter one technology.
            entry("qalm/qalm"),
            entry("qalm/qalm-yaml", "qalm", "org.snakeyaml:snakeyaml-engine"),
            entry("qalm/qalm-grpc", "qalm", "io.grpc:grpc-api"),
            entry("qalm/qalm-armeria", "qalm", "com.linecorp.armeria:armeria"),
            entry("qalm/qalm-servlet", "qalm", "jakarta.servlet:jakarta.servlet-api"),
            entry("qalm/qalm-jaeger", "qalm-yaml", "com.fasterxml.jackson.core:jackson-databind"),
            entry(
                    "jobs/jobs",
                    "kernel",
                    "model",
                    "records",
                    "formats",
                    "tables",
                    "history",
                    "warehouse",
                    "store",
                    "live",
                    "api",
                    "org.apache.flink:*",
                    "org.apache.kafka:kafka-clients",
                    LOGGING),
            // Runs the integration tests of the others.
            entry("dev/integration"),
            // Files only: the page that the server serves.
            entry("serving/console"),
            entry(
                    "serving/server",
                    "model",
                    "store",
                    "live",
                    "console",
                    "qalm-armeria",
                    "qalm-yaml",
                    "api",
                    "com.linecorp.armeria:*",
                    // Armeria's own transport.
                    "io.netty:*",
                    "com.nimbusds:nimbus-jose-jwt",
                    "io.opentelemetry:*",
                    "io.prometheus:*",
                    "com.fasterxml.jackson.core:*",
                    LOGGING),
            entry(
                    "dev/devkit",
                    "model",
                    "formats",
                    "tables",
                    "org.apache.kafka:*",
                    "com.fasterxml.jackson.core:*",
                    "com.google.api.grpc:*",
                    "io.grpc:grpc-netty-shaded",
                    LOGGING),
            entry(
                    "app/runner",
                    "jobs",
                    "live",
                    "server",
                    "store-redis",
                    "store-cassandra",
                    "google",
                    "devkit",
                    "com.fasterxml.jackson.core:*"),
            entry("app/pipeline-test", "runner"),
            entry(
                    "app/cli",
                    "pipeline-test",
                    "runner",
                    "verify",
                    "qalm-jaeger",
                    "info.picocli:picocli",
                    "com.fasterxml.jackson.core:*",
                    "org.apache.logging.log4j:*"));

    private static Map.Entry<String, Set<String>> entry(String module, String... dependencies) {
        return Map.entry(module, Set.of(dependencies));
    }

    static List<String> modules() throws Exception {
        List<String> modules = new ArrayList<>();
        for (Element module : children(children(pom(ROOT), "modules").get(0), "module")) {
            modules.add(module.getTextContent().trim());
        }
        return modules;
    }

    @Test
    void modules_all_areInTheTable() throws Exception {
        // Benchmarks depend on competitors of every kind.
        assertThat(modules())
                .filteredOn(module -> !module.equals("bench"))
                .containsExactlyInAnyOrderElementsOf(ALLOWED.keySet());
    }

    @ParameterizedTest
    @MethodSource("modules")
    void dependencies_ofAModule_areInTheTable(String module) throws Exception {
        Set<String> allowed = ALLOWED.getOrDefault(module, Set.of("*"));
        Set<String> surplus = new TreeSet<>();
        for (String dependency : dependencies(module)) {
            String group = dependency.replaceFirst(":.*", ":*");
            if (!allowed.contains(dependency) && !allowed.contains(group) && !allowed.contains("*")) {
                surplus.add(dependency);
            }
        }
        assertThat(surplus)
                .as("dependencies of %s beyond its row of the module table", module)
                .isEmpty();
    }

    /** No package is split across modules, so that users of a single artifact, such as one of qalm, get whole packages. */
    @Test
    void packages_all_areInOneModuleEach() throws Exception {
        Map<String, String> homes = new HashMap<>();
        for (String module : modules()) {
            for (String name : packages(module)) {
                assertThat(homes.putIfAbsent(name, module))
                        .as("the other module with package %s of %s", name, module)
                        .isNull();
            }
        }
        assertThat(homes).containsEntry("io/thalweg/qalm/grpc", "qalm/qalm-grpc");
    }

    private static Set<String> packages(String module) throws IOException {
        Path sources = ROOT.resolve(module).resolve("src/main/java");
        if (!Files.exists(sources)) {
            return Set.of();
        }
        try (Stream<Path> files = Files.walk(sources)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> sources.relativize(file.getParent()).toString())
                    .collect(Collectors.toSet());
        }
    }

    private static List<String> dependencies(String module) throws Exception {
        List<String> found = new ArrayList<>();
        Element pom = pom(ROOT.resolve(module));
        for (Element block : children(pom, "dependencies")) {
            for (Element dependency : children(block, "dependency")) {
                if (!text(dependency, "scope").equals("test")) {
                    String group = text(dependency, "groupId");
                    String artifact = text(dependency, "artifactId");
                    found.add(group.equals("io.thalweg") ? artifact.replace("thalweg-", "") : group + ":" + artifact);
                }
            }
        }
        return found;
    }

    private static String text(Element parent, String tag) {
        List<Element> found = children(parent, tag);
        return found.isEmpty() ? "" : found.get(0).getTextContent().trim();
    }

    private static List<Element> children(Element parent, String tag) {
        List<Element> found = new ArrayList<>();
        for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
            if (node instanceof Element element && element.getTagName().equals(tag)) {
                found.add(element);
            }
        }
        return found;
    }

    private static Element pom(Path folder) throws Exception {
        Document document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(folder.resolve("pom.xml").toFile());
        return document.getDocumentElement();
    }
}
