package io.thalweg.formats.file;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.avro.AvroContainer;
import io.thalweg.records.avro.DamagedContainerException;
import io.thalweg.records.schema.SchemaException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An Avro object container file; one of no bytes has no records. Positions are block numbers, from 0. A damaged block ends the file: the rest is reported as one
 * damaged record, because no later block can be found.
 */
final class ContainerFile extends RecordFile {
    private static final byte[] NOTHING = {};

    private final PushbackInputStream in;
    private final String name;
    private @Nullable AvroContainer container;
    private @Nullable BadRecordException damage;
    private boolean over;
    private long next;

    ContainerFile(InputStream file, String name, Limits limits) throws IOException {
        this.in = new PushbackInputStream(file);
        this.name = name;
        try {
            int first = in.read();
            if (first < 0) {
                over = true;
                return;
            }
            in.unread(first);
            container = new AvroContainer(in, limits);
        } catch (DamagedContainerException e) {
            damage = e.asBadRecord();
        } catch (SchemaException e) {
            damage = new BadRecordException(RecordFault.SCHEMA_INCOMPATIBLE, String.valueOf(e.getMessage()));
        } catch (BadRecordException e) {
            damage = e;
        } catch (IOException e) {
            in.close();
            throw unreadable(e);
        }
    }

    private IOException unreadable(IOException e) {
        return new IOException(name + " cannot be read: " + e.getMessage(), e);
    }

    @Override
    void skipTo(long position) throws IOException {
        while (next < position && !over) {
            over = !advance();
            next++;
        }
    }

    /** Moves to the next block; at damage, sets it and returns false. */
    private boolean advance() throws IOException {
        if (container == null) {
            return false;
        }
        try {
            return container.next();
        } catch (DamagedContainerException e) {
            damage = e.asBadRecord();
        } catch (BadRecordException e) {
            damage = e;
        } catch (IOException e) {
            throw unreadable(e);
        }
        return false;
    }

    @Override
    @Nullable
    public RawBlock read(int most) throws IOException {
        if (over) {
            return null;
        }
        if (container != null && advance()) {
            RawBlock block = new RawBlock(name, container.schema());
            block.addObjects(container.data(), container.from(), container.to(), container.count(), next++);
            return block;
        }
        over = true;
        if (damage == null) {
            return null;
        }
        RawBlock block = new RawBlock(name, null);
        block.addDamaged(NOTHING, 0, 0, 0, next++, damage);
        return block;
    }

    @Override
    public long next() {
        return next;
    }

    @Override
    public void close() throws IOException {
        if (container != null) {
            container.close();
        }
        in.close();
    }
}
