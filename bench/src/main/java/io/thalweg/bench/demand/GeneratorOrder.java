package io.thalweg.bench.demand;

/**
 * What a generator is started with.
 *
 * @param fromMs event time of the first tick
 * @param endMs event time after the last one
 * @param hotCity a city that draws {@code hotFactor} times its share; the number of no city = none
 */
record GeneratorOrder(
        Load load,
        long seed,
        String bootstrap,
        String topic,
        int partitions,
        String compression,
        long fromMs,
        long endMs,
        int hotCity,
        double hotFactor) {
    Cities cities() {
        return new Cities(load, hotCity, hotFactor);
    }
}
