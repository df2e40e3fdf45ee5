package io.thalweg.jobs;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.OperatorStateHandle;

/**
 * A completed checkpoint or savepoint of any job, read where the job does not run.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class SavedState {
    /** The file that makes a folder a checkpoint. */
    public static final String METADATA = "_metadata";

    /** The name that Flink gives to the state of a sink's writers. */
    private static final String SINK_WRITERS = "writer_raw_states";

    /** The name that Flink gives to the state of a source's readers. */
    private static final String SOURCE_READERS = "SourceReaderState";

    private final long number;
    private final Collection<OperatorState> operators;

    private SavedState(CheckpointMetadata metadata) {
        this.number = metadata.getCheckpointId();
        this.operators = metadata.getOperatorStates();
    }

    /**
     * Reads the metadata of a checkpoint.
     *
     * @throws IncompleteStateException if the metadata is missing or incomplete
     * @throws IOException if the storage cannot be read
     */
    public static SavedState of(StatePath checkpoint) throws IOException {
        byte[] metadata = checkpoint.resolve(METADATA).bytes();
        if (metadata == null) {
            throw new IncompleteStateException(checkpoint + " has no " + METADATA);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(metadata))) {
            return new SavedState(
                    Checkpoints.loadCheckpointMetadata(in, SavedState.class.getClassLoader(), checkpoint.uri()));
        } catch (IOException | RuntimeException e) {
            throw new IncompleteStateException(checkpoint + " has no metadata that can be read: " + e.getMessage(), e);
        }
    }

    /** The checkpoint's number, which orders the checkpoints and savepoints of a job by their start. */
    public long number() {
        return number;
    }

    /** Returns the uids of the operators whose state it holds. */
    public Set<String> uids() {
        Set<String> uids = new HashSet<>();
        operators.forEach(operator -> operator.getOperatorUid().ifPresent(uids::add));
        return uids;
    }

    /**
     * Returns the elements of a list state of an operator, from all its subtasks.
     *
     * @param uid of the operator; its state may be missing
     * @param name of the list
     * @throws IOException if the state cannot be read
     */
    public <T> List<T> elements(String uid, String name, TypeSerializer<T> serializer) throws IOException {
        List<T> elements = new ArrayList<>();
        for (OperatorState operator : operators) {
            if (operator.getOperatorUid().filter(uid::equals).isPresent()) {
                for (OperatorSubtaskState subtask : operator.getStates()) {
                    for (OperatorStateHandle handle : subtask.getManagedOperatorState()) {
                        read(handle, name, serializer, elements);
                    }
                }
            }
        }
        return elements;
    }

    /**
     * Returns the states of a sink's writers, from all its subtasks.
     *
     * @param uid of the sink; its state may be missing
     * @throws IOException if the state cannot be read
     */
    public <T> List<T> sinkWriters(String uid, SimpleVersionedSerializer<T> serializer) throws IOException {
        return versioned(uid, SINK_WRITERS, serializer);
    }

    /**
     * Returns the splits of a source's readers, from all its subtasks.
     *
     * @param uid of the source; its state may be missing
     * @throws IOException if the state cannot be read
     */
    public <T> List<T> sourceReaders(String uid, SimpleVersionedSerializer<T> serializer) throws IOException {
        return versioned(uid, SOURCE_READERS, serializer);
    }

    private <T> List<T> versioned(String uid, String name, SimpleVersionedSerializer<T> serializer) throws IOException {
        List<T> states = new ArrayList<>();
        for (byte[] state : elements(uid, name, BytePrimitiveArraySerializer.INSTANCE)) {
            states.add(SimpleVersionedSerialization.readVersionAndDeSerialize(serializer, state));
        }
        return states;
    }

    private static <T> void read(
            OperatorStateHandle handle, String name, TypeSerializer<T> serializer, List<T> elements)
            throws IOException {
        OperatorStateHandle.StateMetaInfo list =
                handle.getStateNameToPartitionOffsets().get(name);
        if (list == null) {
            return;
        }
        try (FSDataInputStream in = handle.openInputStream()) {
            DataInputViewStreamWrapper view = new DataInputViewStreamWrapper(in);
            for (long offset : list.getOffsets()) {
                in.seek(offset);
                elements.add(serializer.deserialize(view));
            }
        }
    }
}
