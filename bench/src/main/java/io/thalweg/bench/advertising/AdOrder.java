package io.thalweg.bench.advertising;

import java.nio.file.Path;
import java.util.List;

/**
 * The order for a contestant.
 *
 * @param seconds how long it counts, about
 * @param liveReads campaigns read a second; 0 = none
 * @param redisPort where rows go, too; 0 = nowhere
 * @param redisPid the process behind the port
 */
public record AdOrder(
        String system,
        int campaigns,
        int parallelism,
        Path folder,
        double seconds,
        int liveReads,
        int redisPort,
        long redisPid) {

    /** As the arguments of a process. */
    public List<String> arguments() {
        return List.of(
                system,
                String.valueOf(campaigns),
                String.valueOf(parallelism),
                folder.toString(),
                String.valueOf(seconds),
                String.valueOf(liveReads),
                String.valueOf(redisPort),
                String.valueOf(redisPid));
    }

    static AdOrder of(String[] arguments) {
        return new AdOrder(
                arguments[0],
                Integer.parseInt(arguments[1]),
                Integer.parseInt(arguments[2]),
                Path.of(arguments[3]),
                Double.parseDouble(arguments[4]),
                Integer.parseInt(arguments[5]),
                Integer.parseInt(arguments[6]),
                Long.parseLong(arguments[7]));
    }
}
