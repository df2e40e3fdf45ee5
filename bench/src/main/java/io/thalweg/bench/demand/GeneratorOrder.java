package io.thalweg.bench.demand;

import java.util.List;

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
    List<String> args() {
        return List.of(
                load.name(),
                String.valueOf(load.cities()),
                String.valueOf(load.largestCity()),
                String.valueOf(load.eventsPerSecond()),
                String.valueOf(load.distinctPerSecond()),
                String.valueOf(seed),
                bootstrap,
                topic,
                String.valueOf(partitions),
                compression,
                String.valueOf(fromMs),
                String.valueOf(endMs),
                String.valueOf(hotCity),
                String.valueOf(hotFactor));
    }

    static GeneratorOrder of(String[] args) {
        Load load = new Load(args[0], number(args[1]), number(args[2]), number(args[3]), number(args[4]), 0, 1, 0, 1);
        return new GeneratorOrder(
                load,
                Long.parseLong(args[5]),
                args[6],
                args[7],
                number(args[8]),
                args[9],
                Long.parseLong(args[10]),
                Long.parseLong(args[11]),
                number(args[12]),
                Double.parseDouble(args[13]));
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    Cities cities() {
        return new Cities(load, hotCity, hotFactor);
    }
}
