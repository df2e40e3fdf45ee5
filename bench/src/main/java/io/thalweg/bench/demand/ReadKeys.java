package io.thalweg.bench.demand;

import io.thalweg.api.v1.ReadFeaturesRequest;
import io.thalweg.bench.load.GrpcReaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The requests of live reads, of 100 keys each. The first tenth is for cells of the cities that are recounted, the others are for
 * cells of any city, drawn as riders are. The same seed draws the same requests in every process.
 */
final class ReadKeys {
    /** The number of keys of a request. */
    static final int KEYS = 100;

    private static final int REQUESTS = 2_000;
    /** The number of requests, at the beginning, for cities that are recounted. */
    static final int COMPARED_REQUESTS = REQUESTS / 10;

    private final List<List<Recount.Key>> requests = new ArrayList<>();

    /** Draws the requests. */
    ReadKeys(Cities cities, Set<Integer> compared, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Cities.Zone> some = cities.zones().stream()
                .filter(zone -> compared.contains(zone.city()))
                .toList();
        for (int i = 0; i < REQUESTS; i++) {
            List<Recount.Key> each = new ArrayList<>();
            for (int k = 0; k < KEYS; k++) {
                Cities.Zone zone = i < COMPARED_REQUESTS
                        ? some.get(random.nextInt(some.size()))
                        : cities.zones().get(cities.zoneOf(random.nextInt()));
                each.add(new Recount.Key(
                        zone.cells()[Cities.placeOf(zone, random.nextDouble())], Cities.product(zone.product())));
            }
            requests.add(each);
        }
    }

    /** The keys of a request. */
    List<Recount.Key> of(int request) {
        return requests.get(request);
    }

    /** Connects to a server that answers them. */
    GrpcReaders readers(int port, String view) {
        return new GrpcReaders(
                port, requests.stream().map(keys -> request(view, keys)).toList());
    }

    private static ReadFeaturesRequest request(String view, List<Recount.Key> keys) {
        return GrpcReaders.request(
                view,
                keys.stream()
                        .map(key -> Map.of("cell", Long.toHexString(key.cell()), "product", key.product()))
                        .toList());
    }
}
