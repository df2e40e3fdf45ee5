package io.thalweg.jobs;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.OperatorStateHandle;

/**
 * A completed checkpoint or savepoint of any job, read where the job does not run.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class SavedState {
    /** The file that makes a folder a checkpoint. */
    public static final String METADATA = "_metadata";

    private final Collection<OperatorState> operators;

    private SavedState(Collection<OperatorState> operators) {
        this.operators = operators;
    }

    /**
     * Reads the metadata of a checkpoint.
     *
     * @throws IOException if the checkpoint has none, or none that is whole
     */
    public static SavedState of(Path checkpoint) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(checkpoint.resolve(METADATA))))) {
            return new SavedState(
                    Checkpoints.loadCheckpointMetadata(in, SavedState.class.getClassLoader(), checkpoint.toString())
                            .getOperatorStates());
        } catch (RuntimeException e) {
            throw new IOException(checkpoint + " has no metadata that can be read: " + e.getMessage(), e);
        }
    }

    /** The uids of the operators whose state it holds. */
    public Set<String> uids() {
        Set<String> uids = new HashSet<>();
        operators.forEach(operator -> operator.getOperatorUid().ifPresent(uids::add));
        return uids;
    }

    /**
     * The elements of a list that an operator keeps, of all its subtasks.
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
