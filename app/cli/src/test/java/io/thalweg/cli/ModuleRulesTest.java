package io.thalweg.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Which module may depend on which: docs/adr/0002 and the module table. Checked on the classes; {@link ModuleGraphTest} reads the poms. */
@AnalyzeClasses(packages = "io.thalweg", importOptions = ImportOption.DoNotIncludeTests.class)
class ModuleRulesTest {
    private static final String[] BELOW_MAIN = {
        "io.thalweg.kernel..",
        "io.thalweg.model..",
        "io.thalweg.formats..",
        "io.thalweg.tables..",
        "io.thalweg.verify..",
        "io.thalweg.feast..",
        "io.thalweg.store..",
        "io.thalweg.qalm",
        "io.thalweg.qalm.estimate",
        "io.thalweg.qalm.registry",
        "io.thalweg.qalm.traces"
    };

    /** The packages of the artifact {@code thalweg-qalm}. */
    private static final String[] QALM_CORE = {
        "io.thalweg.qalm",
        "io.thalweg.qalm.estimate",
        "io.thalweg.qalm.live",
        "io.thalweg.qalm.registry",
        "io.thalweg.qalm.wire"
    };

    /** The packages of the artifact {@code thalweg-row}. */
    private static final String[] ROW = {"io.thalweg.records.row", "io.thalweg.records.schema"};

    @ArchTest
    static final ArchRule kernel_importsTheJdkOnly = classes()
            .that()
            .resideInAPackage("io.thalweg.kernel..")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("java..", "jdk.incubator.vector..", "org.jspecify..", "io.thalweg.kernel..")
                            .or(resideInAnyPackage("com.uber.h3core..")));

    /** A user's function compiles against only the JDK and these packages. */
    @ArchTest
    static final ArchRule rows_importTheJdkOnly = classes()
            .that()
            .resideInAnyPackage(ROW)
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("java..", "org.jspecify..").or(resideInAnyPackage(ROW)));

    @ArchTest
    static final ArchRule h3_inKernelHexOnly = noClasses()
            .that()
            .resideOutsideOfPackage("io.thalweg.kernel.hex..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.uber.h3core..");

    @ArchTest
    static final ArchRule qalmLanes_knowNothingAroundThem = classes()
            .that()
            .resideInAPackage("io.thalweg.qalm")
            .should()
            .onlyDependOnClassesThat(
                    resideInAnyPackage("java..", "org.jspecify..", "io.thalweg.qalm", "io.thalweg.qalm.estimate"));

    @ArchTest
    static final ArchRule qalmEstimates_knowNoLanes = classes()
            .that()
            .resideInAPackage("io.thalweg.qalm.estimate")
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.jspecify..", "io.thalweg.qalm.estimate"));

    @ArchTest
    static final ArchRule qalmCore_importsTheJdkOnly = classes()
            .that()
            .resideInAnyPackage(QALM_CORE)
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(QALM_CORE)
                    .or(resideInAnyPackage("java..", "javax..", "com.sun..", "org.jspecify..")));

    @ArchTest
    static final ArchRule servlet_inItsAdapterOnly = only("jakarta.servlet..", "qalm.servlet");

    @ArchTest
    static final ArchRule qalm_knowsNothingElseOfThalweg = classes()
            .that()
            .resideInAPackage("io.thalweg.qalm..")
            .should()
            .onlyDependOnClassesThat(
                    resideOutsideOfPackages("io.thalweg..").or(resideInAnyPackage("io.thalweg.qalm..")));

    @ArchTest
    static final ArchRule grpc_ofQalm_inItsAdapterOnly = noClasses()
            .that()
            .resideInAPackage("io.thalweg.qalm..")
            .and()
            .resideOutsideOfPackage("io.thalweg.qalm.grpc")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.grpc..");

    @ArchTest
    static final ArchRule jackson_ofQalm_readsTracesOnly = noClasses()
            .that()
            .resideInAPackage("io.thalweg.qalm..")
            .and()
            .resideOutsideOfPackage("io.thalweg.qalm.traces")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.fasterxml..");

    @ArchTest
    static final ArchRule snakeyaml_inModelAndItsAdapterOnly = only("org.snakeyaml..", "model.yaml", "qalm.yaml");

    @ArchTest
    static final ArchRule flink_inJobsAndWiringOnly =
            only("org.apache.flink..", "jobs", "runner", "pipelinetest", "devkit", "testing");

    @ArchTest
    static final ArchRule nimbus_inServerOnly = only("com.nimbusds..", "server");

    @ArchTest
    static final ArchRule rocksdb_inStoreOnly = only("org.rocksdb..", "store");

    @ArchTest
    static final ArchRule lettuce_inStoreRedisOnly = only("io.lettuce..", "store.redis");

    @ArchTest
    static final ArchRule cassandraDriver_inStoreCassandraOnly = only("com.datastax..", "store.cassandra");

    @ArchTest
    static final ArchRule avro_inFormatsAndRecordsOnly = only("org.apache.avro..", "formats", "records");

    /** And in the table that tests and measurements write. */
    @ArchTest
    static final ArchRule parquet_inTablesOnly = only("org.apache.parquet..", "tables", "devkit");

    /** Readers of formats do not depend on targets, nor writers of targets on formats. */
    @ArchTest
    static final ArchRule recordColumnsAndValues_knowNoFormat = noClasses()
            .that()
            .resideInAnyPackage("io.thalweg.records.columns..", "io.thalweg.records.values..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.thalweg.records.thrift..",
                    "io.thalweg.records.avro..",
                    "io.thalweg.records.json..",
                    "io.thalweg.records.proto..");

    @ArchTest
    static final ArchRule recordFormats_knowNeitherColumnsNorValues = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.thalweg.records.thrift..",
                    "io.thalweg.records.avro..",
                    "io.thalweg.records.json..",
                    "io.thalweg.records.proto..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.thalweg.records.columns..", "io.thalweg.records.values..");

    @ArchTest
    static final ArchRule iceberg_inTablesOnly = only("org.apache.iceberg..", "tables");

    @ArchTest
    static final ArchRule googlesClients_inGoogleAndTheFakeOnly = only("com.google.cloud..", "google", "devkit.google");

    @ArchTest
    static final ArchRule hadoop_nowhere = noClasses()
            .that()
            .resideInAPackage("io.thalweg..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.hadoop..");

    @ArchTest
    static final ArchRule armeria_inServerAndItsAdapterOnly = only("com.linecorp.armeria..", "server", "qalm.armeria");

    @ArchTest
    static final ArchRule prometheus_inServerOnly = only("io.prometheus..", "server");

    @ArchTest
    static final ArchRule picocli_inCliOnly = only("picocli..", "cli");

    @ArchTest
    static final ArchRule kafkaClients_inJobsDevkitRunnerOnly =
            only("org.apache.kafka..", "jobs", "devkit", "runner", "pipelinetest");

    @ArchTest
    static final ArchRule kafkaBroker_inDevkitOnly = only("kafka..", "devkit");

    @ArchTest
    static final ArchRule server_neverSeesJobs = noClasses()
            .that()
            .resideInAPackage("io.thalweg.server..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.thalweg.jobs..");

    @ArchTest
    static final ArchRule jobs_neverSeeServer = noClasses()
            .that()
            .resideInAPackage("io.thalweg.jobs..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.thalweg.server..");

    /** Within server: the arrows between its packages, which form no cycle. */
    @ArchTest
    static final ArchRule serversPackages_dependOnlyOnThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("wiring")
            .definedBy("io.thalweg.server")
            .layer("console")
            .definedBy("io.thalweg.server.console")
            .layer("admin")
            .definedBy("io.thalweg.server.admin")
            .layer("health")
            .definedBy("io.thalweg.server.health")
            .layer("feast")
            .definedBy("io.thalweg.server.feast")
            .layer("region")
            .definedBy("io.thalweg.server.region")
            .layer("read")
            .definedBy("io.thalweg.server.read")
            .layer("versions")
            .definedBy("io.thalweg.server.versions")
            .layer("access")
            .definedBy("io.thalweg.server.access")
            .layer("telemetry")
            .definedBy("io.thalweg.server.telemetry")
            .layer("http")
            .definedBy("io.thalweg.server.http")
            .ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage("io.thalweg.server.."))
            .whereLayer("wiring")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("console")
            .mayOnlyAccessLayers("region", "read", "health", "access", "telemetry", "http")
            .whereLayer("admin")
            .mayOnlyAccessLayers("access", "versions", "telemetry", "http")
            .whereLayer("health")
            .mayOnlyAccessLayers("read", "http")
            .whereLayer("feast")
            .mayOnlyAccessLayers("read", "http")
            .whereLayer("region")
            .mayOnlyAccessLayers("read", "versions", "telemetry", "http")
            .whereLayer("read")
            .mayOnlyAccessLayers("versions", "telemetry", "http")
            .whereLayer("versions")
            .mayOnlyAccessLayers("http")
            .whereLayer("access")
            .mayOnlyAccessLayers("telemetry", "http")
            .whereLayer("telemetry")
            .mayOnlyAccessLayers("http")
            .whereLayer("http")
            .mayNotAccessAnyLayer();

    /** Within jobs.kafka: the sources, in front of what they are made of. */
    @ArchTest
    static final ArchRule packagesOfKafka_dependOnlyOnThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("sources")
            .definedBy("io.thalweg.jobs.kafka")
            .layer("partition")
            .definedBy("io.thalweg.jobs.kafka.partition")
            .layer("fetch")
            .definedBy("io.thalweg.jobs.kafka.fetch")
            .layer("cluster")
            .definedBy("io.thalweg.jobs.kafka.cluster")
            .ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage("io.thalweg.jobs.kafka.."))
            .whereLayer("sources")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("partition")
            .mayOnlyAccessLayers("fetch")
            .whereLayer("fetch")
            .mayNotAccessAnyLayer()
            .whereLayer("cluster")
            .mayNotAccessAnyLayer();

    /** Reading partitions does not depend on Flink, except that it marks an exception as final. */
    @ArchTest
    static final ArchRule fetches_knowNoFlink = noClasses()
            .that()
            .resideInAPackage("io.thalweg.jobs.kafka.fetch")
            .and()
            .doNotHaveSimpleName("LostPositionException")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.flink..");

    /** Within jobs.ingest: the job and its operator, in front of what they are made of. */
    @ArchTest
    static final ArchRule packagesOfIngest_dependOnlyOnThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("job")
            .definedBy("io.thalweg.jobs.ingest")
            .layer("target")
            .definedBy("io.thalweg.jobs.ingest.target")
            .layer("message")
            .definedBy("io.thalweg.jobs.ingest.message")
            .layer("plan")
            .definedBy("io.thalweg.jobs.ingest.plan")
            .layer("file")
            .definedBy("io.thalweg.jobs.ingest.file")
            .layer("account")
            .definedBy("io.thalweg.jobs.ingest.account")
            .layer("deadletters")
            .definedBy("io.thalweg.jobs.ingest.deadletters")
            .ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage("io.thalweg.jobs.ingest.."))
            .whereLayer("job")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("target")
            .mayOnlyAccessLayers("plan", "deadletters")
            .whereLayer("message")
            .mayOnlyAccessLayers("plan")
            .whereLayer("plan")
            .mayNotAccessAnyLayer()
            .whereLayer("file")
            .mayNotAccessAnyLayer()
            .whereLayer("account")
            .mayNotAccessAnyLayer()
            .whereLayer("deadletters")
            .mayNotAccessAnyLayer();

    @ArchTest
    static final ArchRule cli_nobodyDependsOnIt = only("io.thalweg.cli..", "cli");

    @ArchTest
    static final ArchRule runner_forTestsOfPipelinesAndTheCommand = only("io.thalweg.runner..", "pipelinetest", "cli");

    @ArchTest
    static final ArchRule pipelineTest_forTheCommandOnly = only("io.thalweg.pipelinetest..", "cli");

    /** Within model: encodings depend on definitions, not the other way round; YAML and problems depend on neither. */
    @ArchTest
    static final ArchRule packagesOfModel_dependOnlyOnThoseBelow = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("definitions")
            .definedBy("io.thalweg.model")
            .layer("deployment")
            .definedBy("io.thalweg.model.deployment")
            .layer("row")
            .definedBy("io.thalweg.model.row")
            .layer("ingest")
            .definedBy("io.thalweg.model.ingest")
            .layer("table")
            .definedBy("io.thalweg.model.table")
            .layer("view")
            .definedBy("io.thalweg.model.view")
            .layer("source")
            .definedBy("io.thalweg.model.source")
            .layer("field")
            .definedBy("io.thalweg.model.field")
            .layer("yaml")
            .definedBy("io.thalweg.model.yaml")
            .layer("problem")
            .definedBy("io.thalweg.model.problem")
            .layer("bytes")
            .definedBy("io.thalweg.model.bytes")
            .ensureAllClassesAreContainedInArchitectureIgnoring(resideOutsideOfPackage("io.thalweg.model.."))
            .whereLayer("definitions")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("deployment")
            .mayOnlyAccessLayers("yaml", "problem")
            .whereLayer("row")
            .mayOnlyAccessLayers("view", "yaml", "problem", "bytes")
            .whereLayer("ingest")
            .mayOnlyAccessLayers("view", "source", "field", "yaml")
            .whereLayer("table")
            .mayOnlyAccessLayers("view", "source", "field", "yaml", "problem")
            .whereLayer("view")
            .mayOnlyAccessLayers("source", "field", "yaml", "problem", "bytes")
            .whereLayer("source")
            .mayOnlyAccessLayers("field", "yaml", "problem")
            .whereLayer("field")
            .mayOnlyAccessLayers("yaml", "bytes")
            .whereLayer("yaml")
            .mayOnlyAccessLayers("problem")
            .whereLayer("problem")
            .mayNotAccessAnyLayer()
            .whereLayer("bytes")
            .mayNotAccessAnyLayer();

    /** Within formats: decoders depend on neither lookups nor views; lookups do not depend on views. */
    @ArchTest
    static final ArchRule decoders_knowNoViews =
            never("io.thalweg.formats", "io.thalweg.formats.lookup..", "io.thalweg.formats.view..");

    @ArchTest
    static final ArchRule lookups_knowNoViews = never("io.thalweg.formats.lookup..", "io.thalweg.formats.view..");

    @ArchTest
    static final ArchRule time_belowMain_isAParameter = noClasses()
            .that()
            .resideInAnyPackage(BELOW_MAIN)
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Instant.class, "now")
            .orShould()
            .callMethod(Clock.class, "systemUTC")
            .orShould()
            .callMethod(Clock.class, "systemDefaultZone")
            .orShould()
            .callMethod(Clock.class, "system", ZoneId.class);

    /** Names of files that many processes make in one folder are not results. */
    @ArchTest
    static final ArchRule randomness_belowMain_isAParameter = noClasses()
            .that()
            .resideInAnyPackage(BELOW_MAIN)
            .and()
            .resideOutsideOfPackage("io.thalweg.tables.iceberg")
            .should()
            .callMethod(Math.class, "random")
            .orShould()
            .callConstructor(Random.class)
            .orShould()
            .callConstructor(SplittableRandom.class)
            .orShould()
            .callMethod(ThreadLocalRandom.class, "current")
            .orShould()
            .callMethod(UUID.class, "randomUUID");

    /** A simple name stands for one class, so that a reader or a search finds one. What is generated from .proto files may repeat names. */
    @ArchTest
    static void simpleNames_areUnique(JavaClasses classes) {
        Map<String, Set<String>> named = new TreeMap<>();
        for (JavaClass each : classes) {
            if (each.isTopLevelClass()
                    && !each.getSimpleName().equals("package-info")
                    && !each.getPackageName().startsWith("io.thalweg.api.")) {
                named.computeIfAbsent(each.getSimpleName(), name -> new TreeSet<>())
                        .add(each.getName());
            }
        }
        assertThat(named).hasSizeGreaterThan(500);
        assertThat(named.values()).allSatisfy(names -> assertThat(names).hasSize(1));
    }

    private static ArchRule never(String who, String... whom) {
        return noClasses()
                .that()
                .resideInAPackage(who)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(whom);
    }

    /** Requires that only these modules and the packages themselves depend on classes of {@code packages}. */
    private static ArchRule only(String packages, String... modules) {
        String[] allowed = new String[modules.length + 1];
        for (int i = 0; i < modules.length; i++) {
            allowed[i] = "io.thalweg." + modules[i] + "..";
        }
        allowed[modules.length] = packages;
        return noClasses()
                .that(resideOutsideOfPackages(allowed))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(packages)
                .allowEmptyShould(false);
    }
}
