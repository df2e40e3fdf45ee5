package io.thalweg.jobs.function;

import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.records.schema.SchemaException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The jars of a function with their contents. They are serialized with the job, because its tasks may run where the files do not exist
 * and because a restarted task must run the code that the job was started with. A folder of classes becomes a jar.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class FunctionJars implements Serializable {
    private static final long serialVersionUID = 1L;

    private final byte[][] jars;

    private FunctionJars(byte[][] jars) {
        this.jars = jars;
    }

    /**
     * Reads the jars of a function.
     *
     * @throws SchemaException if one cannot be read; the message names it
     */
    public static FunctionJars read(Transform transform) {
        byte[][] jars = new byte[transform.jars().size()][];
        for (int i = 0; i < jars.length; i++) {
            String jar = transform.jars().get(i);
            try {
                jars[i] = contents(Path.of(jar));
            } catch (IOException e) {
                throw new SchemaException(
                        "transform.jars: " + jar
                                + " cannot be read; build it, or correct the path, which is relative to the definition",
                        e);
            }
        }
        return new FunctionJars(jars);
    }

    private static byte[] contents(Path jar) throws IOException {
        return Files.isDirectory(jar) ? zipped(jar) : Files.readAllBytes(jar);
    }

    private static byte[] zipped(Path folder) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes);
                Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                zip.putNextEntry(new ZipEntry(folder.relativize(file).toString().replace('\\', '/')));
                Files.copy(file, zip);
            }
        }
        return bytes.toByteArray();
    }

    /** Writes the jars to a folder and returns their URLs in class path order. */
    URL[] writeTo(Path folder) throws IOException {
        URL[] urls = new URL[jars.length];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = Files.write(folder.resolve(i + ".jar"), jars[i]).toUri().toURL();
        }
        return urls;
    }
}
