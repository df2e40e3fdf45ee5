package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.jspecify.annotations.Nullable;

/** A Flink cluster as {@code deploy/local-cluster/cluster.sh} starts it, whose processes can be killed. */
final class LocalCluster implements AutoCloseable {
    private static final Path SCRIPT = Checkout.file("deploy/local-cluster/cluster.sh");
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpOne.client();

    /** Flink's jars, which all clusters of a build share; the first one downloads them. */
    private static final Path LIB = Path.of("target", "cluster", "flink-" + EnvironmentInformation.getVersion())
            .toAbsolutePath();

    /** Each job loads its own classes without an archive; verifying their bytecode would take a fifth of the time. */
    private static final String JAVA_OPTIONS =
            Launched.SHORT_LIVED + " -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

    /** The JobManagers; the second runs only with high availability. */
    private static final List<String> JOB_MANAGERS = List.of("jobmanager", "jobmanager-2");

    private final Path folder;
    private final List<Integer> ports = List.of(FreePorts.next(), FreePorts.next());
    private final Map<String, String> environment;
    /** Locks a file as long as the cluster runs. */
    private @Nullable FileChannel turn;

    private LocalCluster(Path folder, int slots, Map<String, String> more) {
        this.folder = folder;
        this.environment = new HashMap<>(more);
        environment.putAll(Map.of(
                "FLINK_DIR",
                folder.toString(),
                "FLINK_LIB",
                LIB.toString(),
                "FLINK_REST",
                String.valueOf(ports.get(0)),
                "FLINK_REST_2",
                String.valueOf(ports.get(1)),
                "FLINK_ZOOKEEPER",
                String.valueOf(FreePorts.next()),
                "FLINK_RPC",
                String.valueOf(FreePorts.next()),
                "FLINK_SLOTS",
                String.valueOf(slots),
                "FLINK_HEAP",
                "512m",
                "THALWEG_JAVA_OPTS",
                JAVA_OPTIONS,
                "JAVA_HOME",
                System.getProperty("java.home")));
    }

    /** A JobManager and two TaskManagers with two slots each. */
    static LocalCluster start(Path folder) {
        return start(folder, 2);
    }

    /**
     * A JobManager and two TaskManagers with two slots each.
     *
     * @param configuration a file of more lines for Flink's configuration
     */
    static LocalCluster startWith(Path folder, Path configuration) {
        return new LocalCluster(folder, 2, Map.of("FLINK_CONF", configuration.toString())).started("2");
    }

    /** A JobManager and two TaskManagers. */
    static LocalCluster start(Path folder, int slots) {
        return new LocalCluster(folder, slots, Map.of()).started("2");
    }

    /**
     * ZooKeeper, two JobManagers and two TaskManagers with two slots each.
     *
     * @param storage variables of the script that name where the JobManagers keep their jobs; none for the folder
     */
    static LocalCluster startHighlyAvailable(Path folder, Map<String, String> storage) {
        return new LocalCluster(folder, 2, storage).started("2", "--ha");
    }

    /**
     * A JobManager and two TaskManagers with two slots each, and Flink's file system for S3.
     *
     * @param s3 variables of the script that name where S3 is
     */
    static LocalCluster startWithS3(Path folder, Map<String, String> s3) {
        Map<String, String> storage = new HashMap<>(s3);
        storage.put("FLINK_S3", "true");
        return new LocalCluster(folder, 2, storage).started("2");
    }

    /** Puts Flink's file system for S3 into a folder, without a cluster; returns the folder of plugins. */
    static Path s3Plugin(Path folder) {
        LocalCluster none = new LocalCluster(folder, 2, Map.of());
        none.run("s3");
        return none.plugins();
    }

    /** The folder of its plugins. */
    Path plugins() {
        return folder.resolve("plugins");
    }

    private LocalCluster started(String... arguments) {
        turn = awaitTurn();
        try {
            run(Stream.concat(Stream.of("start"), Stream.of(arguments)).toArray(String[]::new));
            return this;
        } catch (RuntimeException | Error e) {
            close(); // the processes outlive the script
            throw e;
        }
    }

    /** Waits until no other test process runs a cluster: the JVMs of two would keep two processors busy with starting. */
    private static FileChannel awaitTurn() {
        try {
            Files.createDirectories(LIB.getParent());
            FileChannel file =
                    FileChannel.open(LIB.resolveSibling("turn"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock unused = file.lock(); // closing the file gives it back
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("the turn of a cluster cannot be awaited", e);
        }
    }

    String rest() {
        return rest(0);
    }

    private String rest(int jobManager) {
        return "http://127.0.0.1:" + ports.get(jobManager);
    }

    /** The REST API of the standby JobManager, which forwards requests to the leader. */
    String restOfStandby() throws IOException {
        return rest(1 - leader());
    }

    /** Kills the leading JobManager with kill -9 and starts it again, as the standby. */
    void killLeader() throws IOException {
        kill(JOB_MANAGERS.get(leader()));
        run("jobmanager");
    }

    private int leader() throws IOException {
        String first = Files.readString(folder.resolve("log").resolve(JOB_MANAGERS.get(0) + ".log"));
        return first.contains("was granted leadership") ? 0 : 1;
    }

    /** Kills a TaskManager that runs tasks with kill -9 and starts another one. */
    void killTaskManager() throws IOException, InterruptedException {
        String busy = busyTaskManagers().get(0);
        kill(busy);
        run("taskmanager");
    }

    /** Kills the JobManager with kill -9 and starts it again, without high availability. */
    void killJobManager() throws IOException, InterruptedException {
        kill("jobmanager");
        run("jobmanager");
    }

    /** The lines of its logs that report errors, and the processes that run. */
    String errors() {
        StringBuilder errors = new StringBuilder();
        try (Stream<Path> logs = Files.list(folder.resolve("log"))) {
            for (Path log : logs.sorted().toList()) {
                errors.append(log.getFileName()).append('\n');
                Files.readAllLines(log).stream()
                        .filter(line -> line.matches(".*\\b(ERROR|FATAL)\\b.*|Caused by:.*"))
                        .forEach(line -> errors.append("  ").append(line).append('\n'));
            }
            return errors.append("running: ").append(processes().keySet()).toString();
        } catch (IOException e) {
            throw new UncheckedIOException("the logs of the cluster cannot be read", e);
        }
    }

    /** The processes that run, by name. */
    Map<String, ProcessHandle> processes() throws IOException {
        Map<String, ProcessHandle> processes = new HashMap<>();
        try (Stream<Path> files = Files.list(folder.resolve("pid"))) {
            for (Path file : files.toList()) {
                ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                        .ifPresent(process -> processes.put(file.getFileName().toString(), process));
            }
        }
        return processes;
    }

    /** How many jobs have run to their end. */
    int finishedJobs() throws IOException, InterruptedException {
        int finished = 0;
        for (JsonNode job : get("/jobs/overview").path("jobs")) {
            finished += job.path("state").asText().equals("FINISHED") ? 1 : 0;
        }
        return finished;
    }

    private List<String> busyTaskManagers() throws IOException, InterruptedException {
        List<String> busy = new ArrayList<>();
        for (JsonNode manager : get("/taskmanagers").path("taskmanagers")) {
            if (manager.path("freeSlots").asInt() < manager.path("slotsNumber").asInt()) {
                busy.add(manager.path("id").asText());
            }
        }
        if (busy.isEmpty()) {
            throw new AssertionError("no TaskManager runs a task");
        }
        return busy;
    }

    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(
                HttpRequest.newBuilder(URI.create(rest() + path)).build(), HttpResponse.BodyHandlers.ofString());
        return JSON.readTree(response.body());
    }

    private void kill(String name) throws IOException {
        long pid = Long.parseLong(
                Files.readString(folder.resolve("pid").resolve(name)).strip());
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow(() -> new AssertionError(name + " is dead already"));
        process.destroyForcibly();
        process.onExit().join();
    }

    private void run(String... arguments) {
        List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
        command.addAll(List.of(arguments));
        try (Subprocess script = Subprocess.start(folder, environment, command)) {
            if (script.awaitExit(PATIENCE) != 0) {
                throw new AssertionError(command + " failed: " + script.stderr());
            }
        }
    }

    @Override
    public void close() {
        try {
            run("stop");
        } finally {
            closeTurn();
        }
    }

    private void closeTurn() {
        try {
            if (turn != null) {
                turn.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the turn of a cluster cannot be given back", e);
        }
    }
}
