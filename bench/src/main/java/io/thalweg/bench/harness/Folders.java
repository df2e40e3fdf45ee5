package io.thalweg.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.util.FileUtils;

/** The files of measurements. */
public final class Folders {
    private Folders() {}

    /** The folder for temporary files, which contains those of measurements. */
    public static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Refuses a measurement whose files do not fit on the disk of the folder for temporary files.
     *
     * @param option that needs the room, with its value
     * @param purpose of the room, preceded by a blank; may be empty
     * @param remedy followed by a comma, before another folder is suggested; may be empty
     * @throws IllegalArgumentException with what is needed and what is available
     */
    public static void requireRoom(long neededBytes, String option, String purpose, String remedy) throws IOException {
        Path folder = temporary();
        long disk = Files.getFileStore(folder).getUsableSpace();
        if (neededBytes > disk) {
            throw new IllegalArgumentException(
                    "%s needs %.1f GB of disk%s, %s has %.1f GB; %sname another folder with THALWEG_JAVA_OPTS=-Djava.io.tmpdir=FOLDER"
                            .formatted(option, neededBytes / 1e9, purpose, folder, disk / 1e9, remedy));
        }
    }

    /** Deletes a folder and its contents, if it exists. */
    public static void delete(Path folder) throws IOException {
        FileUtils.deleteDirectory(folder.toFile());
    }
}
