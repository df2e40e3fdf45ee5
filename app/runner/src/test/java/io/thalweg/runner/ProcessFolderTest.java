package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessFolderTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path parent;

    /** A second process that starts. */
    public static final class Sweeper {
        private Sweeper() {}

        /** Sweeps the neighbours of the folder that is the only argument. */
        public static void main(String[] args) throws IOException {
            ProcessFolder.sweep(Path.of(args[0]), NOW);
        }
    }

    private void sweep(Instant now) throws IOException {
        ProcessFolder.sweep(Files.createDirectories(parent.resolve("thalweg-process-own")), now);
    }

    private Path folder(String name) throws IOException {
        Path folder = Files.createDirectories(parent.resolve(name).resolve("inner"));
        Files.writeString(folder.resolve("flink-rpc-akka.jar"), "24 MB");
        return parent.resolve(name);
    }

    @Test
    void sweep_folderThatIsNotLocked_isRemoved() throws IOException {
        Path killed = folder("thalweg-process-killed");
        Files.createFile(killed.resolve("lock"));
        Path others = folder("thalweg-kafka");

        sweep(NOW);

        assertThat(killed).doesNotExist();
        assertThat(others).exists();
    }

    @Test
    void sweep_lockedFolder_stays() throws IOException {
        Path running = folder("thalweg-process-running");
        try (FileChannel channel =
                        FileChannel.open(running.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = Objects.requireNonNull(channel.tryLock())) {
            assertThat(lock.isValid()).isTrue();
            sweep(NOW);
            assertThat(running.resolve("inner/flink-rpc-akka.jar")).exists();
        }
    }

    /** Sweeps from another process, because only that sees that the lock is still held. */
    @Test
    void enter_thenSweepByAnotherProcess_leavesTheFolder() throws Exception {
        Path own = Files.createDirectory(parent.resolve("thalweg-process-entered"));
        String before = System.getProperty("java.io.tmpdir");
        System.setProperty("thalweg.tmpdir", own.toString());
        try {
            ProcessFolder.enter(NOW);
            Process sweeper = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                            Sweeper.class.getName(),
                            folder("thalweg-process-another").toString())
                    .inheritIO()
                    .start();
            assertThat(sweeper.waitFor()).isZero();
            assertThat(own).exists();
            ProcessFolder.leave();
            assertThat(own).doesNotExist();
        } finally {
            System.clearProperty("thalweg.tmpdir");
            System.setProperty("java.io.tmpdir", before);
        }
    }

    /** Writes files meanwhile, as Flink's threads do while the process ends. */
    @Test
    void leave_whileThreadsStillWriteAndDelete_removesTheFolderOnceTheyEnd() throws Exception {
        Path own = Files.createDirectory(parent.resolve("thalweg-process-entered"));
        String before = System.getProperty("java.io.tmpdir");
        System.setProperty("thalweg.tmpdir", own.toString());
        try {
            ProcessFolder.enter(NOW);
            CountDownLatch written = new CountDownLatch(1);
            Thread flink = new Thread(() -> {
                for (long end = System.nanoTime() + Duration.ofMillis(500).toNanos(); System.nanoTime() < end; ) {
                    try {
                        Path folder = own.resolve("flink");
                        if (!Files.exists(folder)) {
                            Files.createDirectory(folder);
                        }
                        Path file = Files.writeString(folder.resolve("file"), "");
                        written.countDown();
                        Files.delete(file);
                    } catch (IOException e) {
                        // The folder is being removed.
                    }
                }
            });
            flink.start();
            Await.zero("the first file", written);

            ProcessFolder.leave();
            flink.join();

            sweep(NOW);
            assertThat(own).doesNotExist();
        } finally {
            System.clearProperty("thalweg.tmpdir");
            System.setProperty("java.io.tmpdir", before);
        }
    }

    @Test
    void sweep_folderWithoutLock_staysWhileItsProcessMayBeStarting() throws IOException {
        Path starting = folder("thalweg-process-starting");
        Instant made = Files.getLastModifiedTime(starting).toInstant();

        sweep(made.plusSeconds(60));
        assertThat(starting).exists();

        sweep(made.plusSeconds(3_600));
        assertThat(starting).doesNotExist();
    }

    @Test
    void sweep_linkToAFolder_leavesTheFolderAlone() throws IOException {
        Path home = folder("home");
        Files.createFile(home.resolve("lock"));
        Path link = Files.createSymbolicLink(parent.resolve("thalweg-process-link"), home);

        sweep(NOW);

        assertThat(home.resolve("inner/flink-rpc-akka.jar")).exists();
        assertThat(link).exists();
    }

    @Test
    void sweep_lockThatIsALink_isNotOpened() throws IOException {
        Path killed = folder("thalweg-process-link");
        Path target = Files.writeString(parent.resolve("target"), "of another process");
        Files.createSymbolicLink(killed.resolve("lock"), target);

        sweep(NOW);

        assertThat(killed).exists();
    }

    @Test
    void sweep_folderOfAnotherUser_stays() throws IOException {
        Path killed = folder("thalweg-process-killed");
        Files.createFile(killed.resolve("lock"));
        UserPrincipal nobody =
                killed.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        assumeThat(System.getProperty("user.name"))
                .as("only root can give a folder away")
                .isEqualTo("root");
        Files.setOwner(killed, nobody);

        sweep(NOW);

        assertThat(killed).exists();
    }
}
