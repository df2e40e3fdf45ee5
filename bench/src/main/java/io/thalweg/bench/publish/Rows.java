package io.thalweg.bench.publish;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.thalweg.bench.publish.StoreWriter.Way;
import io.thalweg.bench.stores.RedisServer;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.StoreAddress;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Rows at a place from which they are written to a store; a value for other processes. */
@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
interface Rows {
    /** The number of rows. */
    long count();

    FeatureView view();

    /** Passes all rows to a consumer, on the calling thread. */
    void read(Consumer<RowBlock> taker) throws IOException;

    /**
     * Adds Thalweg's job that writes them.
     *
     * @param id of its metrics
     */
    void addJob(StreamExecutionEnvironment environment, String id, StoreAddress store, DeploymentConfig.Load limits)
            throws IOException;

    /** Returns how a store that was empty differs from what a way of writing should leave in it; empty if it does not. */
    String difference(Way way, RedisServer redis) throws IOException;
}
