package io.thalweg.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.util.FileUtils;

/** What measurements leave behind. */
public final class Folders {
    private Folders() {}

    /** The folder for temporary files, in which those of measurements are made. */
    public static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    /**
     * Refuses what does not fit on the disk of the folder for temporary files.
     *
     * @param option that needs the room, with its value
     * @param purpose of the room, with a blank before it; may be empty
     * @param remedy with a comma behind it, before another folder is named; may be empty
     * @throws IllegalArgumentException with what is needed and what is there
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

    /** Deletes a folder and all that is in it, if it is there. */
    public static void delete(Path folder) throws IOException {
        FileUtils.deleteDirectory(folder.toFile());
    }
}
