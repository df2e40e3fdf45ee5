package io.thalweg.jobs;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;

/** Runs jobs on a Flink cluster by sending the job and the jars that it needs to the cluster's REST API. */
public final class ClusterFlink {
    private ClusterFlink() {}

    /**
     * Creates an environment that takes checkpoints and restarts after failures, with increasing delays.
     *
     * @param rest {@code http://host:port} of the cluster's REST API
     * @param checkpoints folder of this deployment's checkpoints, which every machine of the cluster reaches by the same path
     * @param resumeFrom a completed checkpoint or savepoint to start from; null = none
     * @param needed classes of other modules that the job needs
     * @throws IOException if the jars of this program cannot be read
     */
    public static StreamExecutionEnvironment live(
            URI rest,
            int parallelism,
            StatePath checkpoints,
            Duration every,
            @Nullable StatePath resumeFrom,
            List<Class<?>> needed)
            throws IOException {
        Configuration configuration = JobConfiguration.common();
        JobConfiguration.recovering(configuration, checkpoints, every, resumeFrom);
        return environment(rest, parallelism, configuration, needed);
    }

    /**
     * Creates an environment for a bounded job: it takes checkpoints and fails on the first failure.
     *
     * @param rest {@code http://host:port} of the cluster's REST API
     * @param checkpoints folder of this job's checkpoints, which every machine of the cluster reaches by the same path
     * @param every checkpoint interval; null = checkpoints are taken only on request
     * @param needed classes of other modules that the job needs
     * @throws IOException if the jars of this program cannot be read
     */
    public static StreamExecutionEnvironment ending(
            URI rest, int parallelism, StatePath checkpoints, @Nullable Duration every, List<Class<?>> needed)
            throws IOException {
        return environment(rest, parallelism, JobConfiguration.ending(checkpoints, every, null), needed);
    }

    private static StreamExecutionEnvironment environment(
            URI rest, int parallelism, Configuration configuration, List<Class<?>> needed) throws IOException {
        configuration.set(DeploymentOptions.ATTACHED, false);
        String[] jars = jars(needed).stream().map(Path::toString).toArray(String[]::new);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment(rest.getHost(), rest.getPort(), configuration, jars);
        environment.setParallelism(parallelism);
        return environment;
    }

    /** Returns the jars of this module and of some classes, with the jars in their manifests, except those that stay here. */
    static Set<Path> jars(List<Class<?>> needed) throws IOException {
        Set<Path> jars = new LinkedHashSet<>(jars(ClusterFlink.class));
        for (Class<?> each : needed) {
            jars.addAll(jars(each));
        }
        return jars;
    }

    private static List<Path> jars(Class<?> of) throws IOException {
        Path own = jar(of);
        List<Path> jars = new ArrayList<>(List.of(own));
        try (JarFile jar = new JarFile(own.toFile())) {
            Manifest manifest = jar.getManifest();
            String classPath =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            if (classPath == null) {
                throw new IOException(own + " does not name the jars that it needs");
            }
            for (String name : classPath.split(" ", -1)) {
                if (!staysHere(name)) {
                    jars.add(present(own.resolveSibling(name)));
                }
            }
        }
        return jars;
    }

    private static Path jar(Class<?> of) throws IOException {
        try {
            File own = new File(
                    of.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (own.isFile()) {
                return own.toPath();
            }
            throw new IOException("classes in the folder " + own + " cannot be sent to a cluster; start ./thalweg");
        } catch (URISyntaxException e) {
            throw new IOException("cannot find the jar of this program", e);
        }
    }

    /** Returns the jar, or the one of the same library in the version that the program uses: modules may name different versions. */
    private static Path present(Path jar) throws IOException {
        if (Files.isRegularFile(jar)) {
            return jar;
        }
        String library = library(jar);
        try (Stream<Path> jars = Files.list(jar.toAbsolutePath().getParent())) {
            return jars.filter(other -> library(other).equals(library))
                    .findFirst()
                    .orElseThrow(() -> new IOException(jar + " is missing; build again"));
        }
    }

    private static String library(Path jar) {
        return String.valueOf(jar.getFileName()).replaceFirst("-\\d.*", "");
    }

    /**
     * Returns whether a jar is not sent: Flink and logging; the embedded store, which no cluster writes and which is as large as all the
     * rest; and annotations that are not read at run time.
     */
    private static boolean staysHere(String jar) {
        boolean connector = jar.startsWith("flink-connector-");
        return (jar.startsWith("flink-") && !connector)
                || jar.startsWith("slf4j-")
                || jar.startsWith("log4j-")
                || jar.startsWith("rocksdbjni-")
                || jar.startsWith("jsr305-");
    }
}
