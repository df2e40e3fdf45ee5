package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.testing.Await;
import io.thalweg.testing.Subprocess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code deploy/systemd}: units that systemd accepts, with commands that exist. */
@SuppressWarnings("NullAway.Init")
class SystemdUnitsTest {
    private static final Path FOLDER = DeployYaml.DEPLOY.resolve("systemd");
    private static final String PROGRAM = "/opt/thalweg/thalweg";
    private static final Pattern START = Pattern.compile("(?m)^ExecStart=" + PROGRAM + " (.*)$");
    private static final Pattern STATE = Pattern.compile("(?m)^StateDirectory=(.*)$");
    private static final Pattern CALENDAR = Pattern.compile("(?m)^OnCalendar=(.*)$");
    private static final Duration PATIENCE = Await.PATIENCE;

    @TempDir
    Path folder;

    private static List<Path> units(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void services_each_startACommandThatThereIs() throws IOException {
        assertThat(units(".service")).hasSize(3);
        for (Path unit : units(".service")) {
            Matcher start = START.matcher(Files.readString(unit));
            assertThat(start.find()).as(unit.toString()).isTrue();
            DeployYaml.requireCommand(List.of(start.group(1).split(" ")));
        }
    }

    @Test
    void store_andCheckpoints_areInPlacesOfTheirOwn() throws IOException {
        DeploymentConfig config = DeploymentConfig.load(FOLDER.resolve("thalweg.yaml"), Map.of());
        Path store = ((DeploymentConfig.RocksDb) config.store()).path();
        Path checkpoints = Path.of(config.checkpoints().dir());
        for (String unit : List.of("thalweg-run.service", "thalweg-materialize@.service")) {
            Matcher state = STATE.matcher(Files.readString(FOLDER.resolve(unit)));
            assertThat(state.find()).as(unit).isTrue();
            List<Path> places = Stream.of(state.group(1).split(" "))
                    .map(place -> Path.of("/var/lib", place))
                    .toList();
            assertThat(places).as(unit).hasSize(2);
            assertThat(places.stream().filter(store::startsWith).toList())
                    .hasSize(1)
                    .doesNotContain(places.stream()
                            .filter(checkpoints::startsWith)
                            .findFirst()
                            .orElseThrow());
        }
    }

    @Test
    void units_all_areAcceptedAndShutIn() throws IOException {
        assumeThat(analyzes()).as("systemd-analyze of version 250 or later").isTrue();
        List<String> services = new ArrayList<>();
        List<String> verify = new ArrayList<>(List.of("systemd-analyze", "verify"));
        List<Path> all = new ArrayList<>(units(".service"));
        all.addAll(units(".timer"));
        for (Path unit : all) {
            // Works without an installation of the program.
            Path copy = Files.writeString(
                    folder.resolve(unit.getFileName()), Files.readString(unit).replace(PROGRAM, "/bin/true"));
            verify.add(copy.toString());
            if (copy.toString().endsWith(".service")) {
                services.add(copy.toString());
            }
        }
        run(verify);
        for (String service : services) {
            run(List.of("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=15", service));
        }
    }

    @Test
    void timers_each_elapseAgainWithinADay() throws IOException {
        assumeThat(analyzes()).as("systemd-analyze of version 250 or later").isTrue();
        assertThat(units(".timer")).hasSize(1);
        for (Path unit : units(".timer")) {
            Matcher calendar = CALENDAR.matcher(Files.readString(unit));
            assertThat(calendar.find()).as(unit.toString()).isTrue();
            List<String> elapses = run(List.of(
                            "systemd-analyze",
                            "calendar",
                            "--base-time=2026-11-20 02:30:00 UTC",
                            "--iterations=2",
                            calendar.group(1)))
                    .stream()
                    .filter(line -> line.contains("UTC"))
                    .toList();
            assertThat(elapses).as(calendar.group(1)).anyMatch(line -> line.contains("2026-11-20 03:00:00 UTC"));
        }
    }

    private static boolean analyzes() {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "systemd-analyze")))
                && run(List.of("systemd-analyze", "--help")).stream().anyMatch(line -> line.contains("--offline"));
    }

    private static List<String> run(List<String> command) {
        try (Subprocess process = Subprocess.start(command.toArray(String[]::new))) {
            assertThat(process.awaitExit(PATIENCE))
                    .as("%s%n%s%n%s", command, process.stdout(), process.stderr())
                    .isZero();
            return process.stdout();
        }
    }
}
