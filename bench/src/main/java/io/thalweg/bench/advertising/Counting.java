package io.thalweg.bench.advertising;

import org.apache.flink.api.common.functions.AggregateFunction;

/** Counts the elements of a window, as stock Flink does. */
class Counting<T> implements AggregateFunction<T, Long, Long> {
    @Override
    public Long createAccumulator() {
        return 0L;
    }

    @Override
    public Long add(T event, Long count) {
        return count + 1;
    }

    @Override
    public Long getResult(Long count) {
        return count;
    }

    @Override
    public Long merge(Long a, Long b) {
        return a + b;
    }
}
