package io.thalweg.bench.publish;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.StoreServer;
import io.thalweg.model.FeatureView;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.RowBlock;
import io.thalweg.store.StoreAddress;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Rows in a place from which they are written to a store; a value for other processes. */
@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
interface Rows {
    /** How many. */
    long count();

    /** Their view. */
    FeatureView view();

    /** Hands over all of them, in the calling thread. */
    void read(Consumer<RowBlock> taker) throws IOException;

    /**
     * Adds the job of Thalweg that writes them.
     *
     * @param id of its metrics
     */
    void addJob(StreamExecutionEnvironment environment, String id, StoreAddress store, DeploymentConfig.Load limits)
            throws IOException;

    /** How what is in a store that was empty differs from what a way of writing must leave there; empty if it does not. */
    String difference(Way way, StoreServer server) throws IOException;
}
