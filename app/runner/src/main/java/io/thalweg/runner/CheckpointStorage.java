package io.thalweg.runner;

import io.thalweg.jobs.FileSystemPlugins;
import io.thalweg.jobs.StatePath;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.util.Map;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.jspecify.annotations.Nullable;

/**
 * The storage that {@code checkpoints.dir} names, and the errors if it cannot be used. A process whose checkpoints are on the local
 * disk does not load plugins.
 *
 * @param options Flink's options for its file systems
 */
record CheckpointStorage(StatePath dir, Map<String, String> options) {
    /** The plugins that come with Flink, by scheme. */
    private static final Map<String, String> PLUGINS = Map.of(
            "s3", "flink-s3-fs-hadoop",
            "s3a", "flink-s3-fs-hadoop",
            "s3p", "flink-s3-fs-presto",
            "gs", "flink-gs-fs-hadoop",
            "abfs", "flink-azure-fs-hadoop",
            "abfss", "flink-azure-fs-hadoop",
            "wasb", "flink-azure-fs-hadoop",
            "wasbs", "flink-azure-fs-hadoop",
            "oss", "flink-oss-fs-hadoop");

    CheckpointStorage {
        options = Map.copyOf(options);
    }

    /**
     * The storage of a deployment.
     *
     * @throws UserError if this process has no file system for it
     */
    static CheckpointStorage of(DeploymentConfig.Checkpoints checkpoints) {
        CheckpointStorage storage = new CheckpointStorage(StatePath.of(checkpoints.dir()), checkpoints.options());
        storage.reach("checkpoints.dir", storage.dir);
        return storage;
    }

    /**
     * Ensures that this process has the file system of a path.
     *
     * @param named the option that names the path, for people
     * @throws UserError if it does not
     */
    void reach(String named, StatePath path) {
        if (path.isLocal()) {
            return;
        }
        String plugins = System.getenv(FileSystemPlugins.FOLDER);
        try {
            FileSystemPlugins.load(options);
            path.requireFileSystem();
        } catch (UnsupportedFileSystemSchemeException e) {
            throw UserError.usage(
                            "%s is %s, but this process has no file system for %s: %s"
                                    .formatted(named, path, path.scheme(), absence(plugins)),
                            remedy(path))
                    .causedBy(e);
        } catch (IOException e) {
            throw UserError.usage("%s %s cannot be used: %s".formatted(named, path, FileReason.of(e)), elsewhere())
                    .causedBy(e);
        } catch (RuntimeException e) {
            throw UserError.usage(
                            "%s is %s, whose plugin cannot be loaded from %s %s: %s"
                                    .formatted(named, path, FileSystemPlugins.FOLDER, plugins, Jobs.rootCause(e)),
                            remedy(path))
                    .causedBy(e);
        }
    }

    private static String absence(@Nullable String plugins) {
        return plugins == null
                ? FileSystemPlugins.FOLDER + " is not set"
                : FileSystemPlugins.FOLDER + " is " + plugins + ", which has no plugin for it";
    }

    private static String remedy(StatePath path) {
        String plugin = PLUGINS.get(path.scheme());
        return "put %s into a folder of its own, such as plugins/%s/, and name the folder plugins in %s; see docs/guides/deploy.md"
                .formatted(
                        plugin == null
                                ? "Flink's plugin for it"
                                : plugin + "-" + EnvironmentInformation.getVersion() + ".jar from Maven Central",
                        path.scheme(),
                        FileSystemPlugins.FOLDER);
    }

    private static String elsewhere() {
        return "correct checkpoints.dir or checkpoints.options in thalweg.yaml, or the credentials in the environment, such as"
                + " AWS_ACCESS_KEY_ID";
    }

    UserError unreadable(IOException e) {
        return UserError.failed(
                        "checkpoints.dir %s cannot be read: %s".formatted(dir, FileReason.of(e)),
                        dir.isLocal() ? "start over with --resume none" : elsewhere())
                .causedBy(e);
    }

    UserError unwritable(IOException e) {
        return UserError.failed(
                        "checkpoints.dir %s cannot be written: %s".formatted(dir, FileReason.of(e)),
                        dir.isLocal() ? "choose another checkpoints.dir in thalweg.yaml" : elsewhere())
                .causedBy(e);
    }
}
