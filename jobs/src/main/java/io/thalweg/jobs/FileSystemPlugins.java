package io.thalweg.jobs;

import java.util.Map;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.jspecify.annotations.Nullable;

/**
 * Flink's file systems in this process. Those of object stores are plugins: each is a folder of jars in the folder that the environment
 * variable {@value #FOLDER} names.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class FileSystemPlugins {
    /** The environment variable, which is Flink's own. */
    public static final String FOLDER = ConfigConstants.ENV_FLINK_PLUGINS_DIR;

    private static @Nullable Map<String, String> loaded;

    private FileSystemPlugins() {}

    /**
     * Loads the plugins and passes options to all file systems; once for the same options.
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
