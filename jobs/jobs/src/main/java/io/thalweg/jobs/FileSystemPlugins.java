package io.thalweg.jobs;

import java.util.Map;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.jspecify.annotations.Nullable;

/**
 * Loads Flink's file systems into this process. Those of object stores are plugins: each is a folder of jars in the folder that the
 * environment variable {@value #FOLDER} names.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class FileSystemPlugins {
    /** Flink's own environment variable for the plugin folder. */
    public static final String FOLDER = ConfigConstants.ENV_FLINK_PLUGINS_DIR;

    private static @Nullable Map<String, String> loaded;

    private FileSystemPlugins() {}

    /**
     * Loads the plugins and passes options to all file systems. A repeated call with the same options does nothing.
     *
     * @param options of Flink, such as {@code s3.endpoint}
     * @throws RuntimeException if the folder of plugins cannot be used
     */
    public static synchronized void load(Map<String, String> options) {
        if (!options.equals(loaded)) {
            Configuration configuration = Configuration.fromMap(options);
            FileSystem.initialize(configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
            loaded = Map.copyOf(options);
        }
    }
}
