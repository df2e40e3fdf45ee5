package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The line of {@code deploy/cron}, run by a shell with the environment that cron gives it. */
@Tag("faults")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class CronLineIT {
    private static final Path CRONTAB = Checkout.file("deploy/cron/thalweg-materialize");
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Pattern LINE = Pattern.compile("(?m)^(\\d+|\\*)( \\S+){4} thalweg (.*)$");
    private static final Pattern VARIABLE = Pattern.compile("(?m)^([A-Z_]+=.*)$");

    @TempDir
    Path folder;

    private Path log;

    /** Maps /opt, /etc and /var/lib into the folder, with the program of this build. */
    @BeforeEach
    void install() throws IOException {
        assumeThat(Path.of("/usr/bin/flock")).as("flock of util-linux").isExecutable();
        Path state = Files.createDirectory(folder.resolve("state"));
        log = state.resolve("driver_stats.log");
        Path definitions = Files.createDirectories(folder.resolve("etc/materializations"));
        Files.writeString(folder.resolve("etc/thalweg.yaml"), "deployment: cron\n");
        Files.writeString(definitions.resolve("driver_stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                source: {csv: drivers.csv}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [{name: trips, type: int64}]
                online: {ttl: 7d}
                """);
        Files.writeString(definitions.resolve("drivers.csv"), "driver_id,trips\n17,5\n18,6\n");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Path arguments = Files.writeString(
                folder.resolve("java.args"),
                "-XX:TieredStopAtLevel=1\n-cp\n\"" + classes + "\"\nio.thalweg.cli.Main\n");
        Path program = Files.writeString(
                folder.resolve("thalweg"), "#!/bin/sh\nexec '" + java + "' '@" + arguments + "' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    }

    private List<String> command() throws IOException {
        String crontab = Files.readString(CRONTAB);
        Matcher line = LINE.matcher(crontab);
        assertThat(line.find()).isTrue();
        String command = line.group(3);
        assertThat(command).as("cron ends the command at a bare %%").doesNotContainPattern("(?<!\\\\)%");
        List<String> words = new ArrayList<>(List.of("/usr/bin/env", "-i", "HOME=" + folder, "LOGNAME=thalweg"));
        VARIABLE.matcher(crontab).results().map(found -> found.group(1)).forEach(words::add);
        words.addAll(List.of(
                "/bin/sh",
                "-c",
                command.replace("\\%", "%")
                        .replace(
                                "/opt/thalweg/thalweg",
                                folder.resolve("thalweg").toString())
                        .replace("/etc/thalweg", folder.resolve("etc").toString())
                        .replace("/var/lib/thalweg", folder.resolve("state").toString())));
        return words;
    }

    /** Returns what cron would send by mail. */
    private List<String> mail() throws IOException {
        try (Subprocess shell = Subprocess.start(command().toArray(String[]::new))) {
            assertThat(shell.awaitExit(PATIENCE)).isZero();
            List<String> printed = new ArrayList<>(shell.stdout());
            printed.addAll(shell.stderr());
            return printed;
        }
    }

    @Test
    void line_table_isLoadedWithoutAMail() throws IOException {
        assertThat(mail()).isEmpty();

        assertThat(Files.readString(log)).contains("driver_stats: rows=2 written=2 expired=0 bad=0");
    }

    @Test
    void line_loadFails_isMailedInASentence() throws IOException {
        Files.delete(folder.resolve("etc/materializations/drivers.csv"));

        assertThat(mail())
                .containsExactly("Thalweg's load of driver_stats failed with exit code 1; see driver_stats.log in "
                        + folder.resolve("state") + ".");
        assertThat(Files.readString(log)).contains("drivers.csv");
    }

    @Test
    void line_loadStillRuns_isSkippedInSilence() throws IOException {
        Path lock = folder.resolve("state/driver_stats.lock");
        try (Subprocess holder =
                Subprocess.start("/usr/bin/flock", lock.toString(), "/bin/sh", "-c", "echo held; exec sleep 300")) {
            holder.awaitLine("held", PATIENCE);

            assertThat(mail()).isEmpty();
            assertThat(log).isEmptyFile();
        }
    }
}
