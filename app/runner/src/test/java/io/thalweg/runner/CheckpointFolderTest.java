package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.SavedState;
import io.thalweg.jobs.StatePath;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.yaml.DurationText;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the order of runs and checkpoints when the times of files are meaningless, and after a crash. */
class CheckpointFolderTest {
    private static final List<String> DEMAND = List.of("demand");
    private static final long NOW_MS = 1_800_000_000_000L;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    /** The checkpoints of the deployment {@code test}. */
    static CheckpointFolder folder(Path dir) {
        return folder(dir, InstantSource.system());
    }

    private static CheckpointFolder folder(Path dir, InstantSource clock) {
        return new CheckpointFolder(new CheckpointStorage(StatePath.of(dir), Map.of()), "test", clock);
    }

    private CheckpointFolder at(long ms) {
        return folder(dir, InstantSource.fixed(Instant.ofEpochMilli(ms)));
    }

    private static RunFolder start(CheckpointFolder checkpoints, String id, @Nullable StatePath from) {
        return checkpoints.newRun(DEMAND, List.of(), Map.of(), id, from);
    }

    private static byte[] metadata(long number) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Checkpoints.storeCheckpointMetadata(
                new CheckpointMetadata(number, List.of(), List.of()), new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** Writes a checkpoint. Later ones get earlier file times, because storages do not guarantee an order of times. */
    private static StatePath save(RunFolder run, String path, byte[] metadata) throws IOException {
        Path folder = Files.createDirectories(run.path().local().resolve(path));
        Path file = Files.write(folder.resolve(SavedState.METADATA), metadata);
        Files.setLastModifiedTime(
                file,
                FileTime.fromMillis(NOW_MS - SavedState.of(StatePath.of(folder)).number()));
        return StatePath.of(folder);
    }

    private static StatePath save(RunFolder run, String path, long number) throws IOException {
        return save(run, path, metadata(number));
    }

    @Test
    void newest_checkpointsAndSavepoints_areInTheOrderOfTheirNumbers() throws IOException {
        RunFolder run = start(at(NOW_MS), "a", null);
        assertThat(run.newest()).isNull();

        assertThat(save(run, "job/chk-9", 9)).isEqualTo(run.newest());
        assertThat(save(run, "job/chk-10", 10)).isEqualTo(run.newest());
        StatePath savepoint = save(run, "savepoint-1", 11);
        assertThat(savepoint).isEqualTo(run.newest());
        assertThat(save(run, "job/chk-12", 12)).isEqualTo(run.newest());
        save(run, "savepoint-0", 8);
        assertThat(run.newest()).hasToString(run.path() + "/job/chk-12");
    }

    @Test
    void newest_metadataThatWasCutShort_isPassedOver() throws IOException {
        RunFolder run = start(at(NOW_MS), "a", null);
        StatePath whole = save(run, "job/chk-1", 1);
        Files.createDirectories(run.path().local().resolve("job/chk-4"));
        for (String cut : List.of("job/chk-2", "job/chk-3", "savepoint-1")) {
            byte[] metadata = cut.endsWith("2") ? new byte[0] : Arrays.copyOf(metadata(9), 9);
            Path folder = Files.createDirectories(run.path().local().resolve(cut));
            Files.write(folder.resolve(SavedState.METADATA), metadata);
        }

        assertThat(run.newest()).isEqualTo(whole);
        assertThat(at(NOW_MS).resumeFrom("latest", DEMAND)).isEqualTo(whole);
    }

    @Test
    void hasCheckpointSince_comparesNumbers_andASavepointCounts() throws IOException {
        RunFolder run = start(at(NOW_MS), "a", null);
        assertThat(run.hasCheckpointSince(0)).isFalse();
        save(run, "job/chk-10", 10);
        assertThat(run.hasCheckpointSince(10)).isTrue();
        assertThat(run.hasCheckpointSince(11)).isFalse();
        save(run, "savepoint-1", 11);
        assertThat(run.hasCheckpointSince(Long.MAX_VALUE)).isTrue();
    }

    @Test
    void newestRun_timesOfFilesInAnotherOrder_isTheOneThatStartedLast() throws IOException {
        RunFolder first = start(at(NOW_MS), "b", null);
        RunFolder second = start(at(NOW_MS + 5), "a", null);
        Files.setLastModifiedTime(
                first.path().local().resolve("run.txt"), FileTime.fromMillis(System.currentTimeMillis() + 60_000));

        assertThat(at(0).newestRun()).isEqualTo(second);
    }

    @Test
    void newRun_onAMachineWhoseClockIsBehind_isLaterThanThoseItSees() {
        RunFolder first = start(at(NOW_MS), "b", null);
        RunFolder second = start(at(NOW_MS - 3_600_000), "a", null);

        assertThat(second.startedMs()).isEqualTo(first.startedMs() + 1);
        assertThat(at(0).newestRun()).isEqualTo(second);
    }

    @Test
    void newestRun_startsAtTheSameTime_isTheSameForAll() throws IOException {
        for (String id : List.of("b", "a")) { // neither run saw the other
            new RunRecord(null, DEMAND, NOW_MS).write(StatePath.of(dir).resolve("test/" + id));
        }
        assertThat(at(0).newestRun().id()).isEqualTo("b");
    }

    @Test
    void newestRun_runsOfVersion010_areInTheOrderOfTheirFiles() throws IOException {
        for (String id : List.of("b", "a")) {
            Path run = Files.createDirectories(dir.resolve("test/" + id));
            Files.write(run.resolve("run.txt"), List.of("", "demand"));
            Files.setLastModifiedTime(
                    run.resolve("run.txt"), FileTime.fromMillis(id.equals("a") ? NOW_MS : NOW_MS - 1_000));
        }
        assertThat(at(0).newestRun().id()).isEqualTo("a");
        assertThat(at(0).newestRun().startedMs()).isEqualTo(NOW_MS);

        RunFolder upgraded = start(at(NOW_MS - 5_000), "c", null);
        assertThat(at(0).newestRun()).isEqualTo(upgraded);
    }

    @Test
    void newRun_onThisMachine_recordsPlainPathsAsVersion010Did() throws IOException {
        StatePath from = StatePath.of(dir).resolve("test/a/job/chk-1");
        RunFolder run = start(at(NOW_MS), "b", from);

        assertThat(Files.readString(run.path().local().resolve("run.txt")))
                .isEqualTo(dir.resolve("test/a/job/chk-1") + "\ndemand\nstarted=" + NOW_MS + "\n");
        assertThat(RunFolder.of(run.path())).isEqualTo(run);
    }

    @Test
    void newestRun_recordThatWasCutShortOrIsMissing_doesNotCount() throws IOException {
        RunFolder whole = start(at(NOW_MS), "a", null);
        for (Map.Entry<String, String> cut :
                Map.of("b", "", "c", "/checkpo", "d", "\ndeman").entrySet()) {
            Path run = Files.createDirectories(dir.resolve("test").resolve(cut.getKey()));
            Files.writeString(run.resolve("run.txt"), cut.getValue());
        }
        Files.createDirectories(dir.resolve("test/e"));

        assertThat(at(0).newestRun()).isEqualTo(whole);
    }

    @Test
    void resumeFrom_newestRunWithoutACheckpoint_isWhereThatBegan() throws IOException {
        RunFolder first = start(at(NOW_MS), "a", null);
        StatePath checkpoint = save(first, "job/chk-1", 1);
        start(at(NOW_MS + 1), "b", checkpoint);
        assertThat(at(0).resumeFrom("latest", DEMAND)).isEqualTo(checkpoint);

        start(at(NOW_MS + 2), "c", null);
        assertThat(at(0).resumeFrom("latest", DEMAND)).isNull();
        assertThat(at(0).resumeFrom("latest", List.of("supply"))).isNull();
        assertThat(at(0).resumeFrom("none", DEMAND)).isNull();
        assertThat(at(0).resumeFrom(checkpoint.toString(), DEMAND)).isEqualTo(checkpoint);
    }

    @Test
    void forgetBefore_removesWhatIsOlderThanTheForerunner() throws IOException {
        RunFolder oldest = start(at(NOW_MS), "d", null);
        RunFolder others = at(NOW_MS).newRun(List.of("supply"), List.of(), Map.of(), "c", null);
        RunFolder forerunner = start(at(NOW_MS + 1), "b", null);
        StatePath checkpoint = save(forerunner, "job/chk-1", 1);
        save(oldest, "job/chk-1", 1);

        at(0).forgetBefore(DEMAND, null);
        at(0).forgetBefore(DEMAND, StatePath.of(dir).resolve("elsewhere/chk-1"));
        assertThat(oldest.path().local()).exists();
        at(0).forgetBefore(DEMAND, checkpoint);

        assertThat(oldest.path().local()).doesNotExist();
        assertThat(others.path().local()).exists();
        assertThat(forerunner.path().local()).exists();
    }

    @Test
    void forgetUnlessBegun_removesTheRecordOfARunWithoutACheckpoint() throws IOException {
        RunFolder run = start(at(NOW_MS), "a", null);
        save(run, "job/chk-1", 1);
        at(0).forgetUnlessBegun(run);
        assertThat(at(0).newestRun()).isEqualTo(run);

        RunFolder empty = start(at(NOW_MS), "b", null);
        at(0).forgetUnlessBegun(empty);
        assertThat(at(0).newestRun()).isEqualTo(run);
    }

    @Test
    void resumeFrom_aFolderWithoutACheckpoint_namesWhatItMustHold() {
        assertThatThrownBy(() -> at(0).resumeFrom(dir.toString(), DEMAND))
                .isInstanceOf(UserError.class)
                .hasMessage("--resume " + dir + " is no whole checkpoint or savepoint")
                .extracting(e -> ((UserError) e).hint())
                .asString()
                .contains("_metadata");
    }

    @Test
    void newestRun_nothingThere_namesTheFolder() {
        assertThatThrownBy(() -> at(0).newestRun())
                .isInstanceOf(UserError.class)
                .hasMessage("checkpoints.dir " + dir.resolve("test") + " holds no run of this deployment");
    }

    @Test
    void newRun_folderThatIsAFile_namesTheKey() throws IOException {
        Path file = Files.writeString(dir.resolve("file"), "");
        assertThatThrownBy(() -> start(folder(file), "a", null))
                .isInstanceOf(UserError.class)
                .hasMessageStartingWith("checkpoints.dir " + file + " cannot be written: ")
                .extracting(e -> ((UserError) e).hint())
                .isEqualTo("choose another checkpoints.dir in thalweg.yaml");
    }

    @Test
    void of_s3WithoutAPlugin_namesTheKeyTheSchemeAndWhatToInstall() {
        assertNoFileSystem("s3://bucket/checkpoints", "flink-s3-fs-hadoop-2.", "plugins/s3/");
        assertNoFileSystem("gs://bucket/checkpoints", "flink-gs-fs-hadoop-2.", "plugins/gs/");
        assertNoFileSystem("odd://bucket/checkpoints", "Flink's plugin for it", "plugins/odd/");
    }

    private static void assertNoFileSystem(String address, String plugin, String place) {
        DeploymentConfig.Checkpoints checkpoints =
                new DeploymentConfig.Checkpoints(address, DurationText.parse("1s"), Map.of());
        assertThatThrownBy(() -> CheckpointStorage.of(checkpoints))
                .isInstanceOf(UserError.class)
                .hasMessage(
                        "checkpoints.dir is %s, but this process has no file system for %s: FLINK_PLUGINS_DIR is not set"
                                .formatted(address, StatePath.of(address).scheme()))
                .satisfies(e -> {
                    UserError error = (UserError) e;
                    assertThat(error.exitCode()).isEqualTo(UserError.USAGE);
                    assertThat(error.hint()).contains(plugin, place, "FLINK_PLUGINS_DIR");
                });
    }

    @Test
    void resumeFrom_anAddressWithoutAPlugin_namesTheOption() {
        assertThatThrownBy(() -> at(0).resumeFrom("s3://bucket/savepoint-1", DEMAND))
                .isInstanceOf(UserError.class)
                .hasMessageStartingWith(
                        "--resume is s3://bucket/savepoint-1, but this process has no file system for s3");
    }
}
