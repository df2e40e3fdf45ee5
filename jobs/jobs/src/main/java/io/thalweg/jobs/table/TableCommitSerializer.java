package io.thalweg.jobs.table;

import io.thalweg.jobs.StateVersionException;
import io.thalweg.tables.iceberg.TableCommit;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes commits for checkpoints. Version 1: the fields in the order of the record, each text preceded by its length. */
final class TableCommitSerializer implements SimpleVersionedSerializer<TableCommit> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(TableCommit commit) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        write(out, commit.writer());
        write(out, commit.run());
        write(out, commit.lineage());
        write(out, commit.stamp());
        out.writeLong(commit.checkpoint());
        out.writeInt(commit.files().size());
        for (String file : commit.files()) {
            write(out, file);
        }
        return bytes.toByteArray();
    }

    /** Writes the length as an int, because descriptions of files may be longer than {@code writeUTF} allows. */
    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    @Override
    public TableCommit deserialize(int version, byte[] bytes) throws IOException {
        StateVersionException.check("commits to tables", version, VERSION);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        String writer = read(in);
        String run = read(in);
        String lineage = read(in);
        String stamp = read(in);
        long checkpoint = in.readLong();
        List<String> files = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            files.add(read(in));
        }
        return new TableCommit(writer, run, lineage, stamp, checkpoint, files);
    }

    private static String read(DataInputStream in) throws IOException {
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }
}
