package io.thalweg.bench.demand;

import io.thalweg.kernel.hex.HexTiling;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Where riders are: cities all over the world, and in each a zone per product, a disk of cells around the city's centre. A
 * zone's <em>reach</em> is the disk that gets rows: the zone and what lies within the largest ring of it.
 *
 * <p><b>Shape.</b> A product's reach covers 70, 25 and 12 % of a city's cells, but is never smaller than one disk of the
 * largest ring; a further product is offered where its share is at least that large. With 1,500 cities of 76,000 cells down to
 * 2,100 (4,000 in the mean) that makes five million (cell, product) pairs.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class Cities {
    static final int RESOLUTION = 9;
    static final int LARGEST_RING = 20;

    private static final double[] PRODUCT_SHARES = {0.70, 0.25, 0.12};
    static final int PRODUCTS = PRODUCT_SHARES.length;

    private static final double SIZE_EXPONENT = -0.49;
    private static final int DRAWS = 1 << 16;
    /** A product's UUID: of the same bits in every city, so that products are few and events of a tile are of several. */
    private static final long PRODUCTS_SEED = 0x70726f64L;

    private final List<Zone> zones;
    /** For each of 65,536 draws the zone it falls on: as often as its reach is large. */
    private final int[] zoneOfDraw = new int[DRAWS];

    /**
     * The cells where a product is asked for in a city.
     *
     * @param product its number
     * @param cells from the centre outwards
     * @param reach how many cells get rows: a regular disk's number
     */
    record Zone(int city, int product, long[] cells, long reach) {}

    Cities(Load load) {
        zones = zones(load);
        shareOut(Integer.MAX_VALUE, 1);
    }

    /** Cities of which one draws {@code factor} times its share of events. */
    Cities(Load load, int hotCity, double factor) {
        zones = zones(load);
        shareOut(hotCity, factor);
    }

    private static List<Zone> zones(Load load) {
        HexTiling tiling = HexTiling.of(RESOLUTION);
        List<Zone> zones = new ArrayList<>();
        for (int city = 0; city < load.cities(); city++) {
            long centre = centre(tiling, city, load.cities());
            double size = load.largestCity() * Math.pow(city + 1, SIZE_EXPONENT);
            for (int product = 0; product < PRODUCT_SHARES.length; product++) {
                double reach = size * PRODUCT_SHARES[product];
                if (product > 0 && reach < diskSize(LARGEST_RING)) {
                    break;
                }
                int radius = Math.max(0, (int) Math.round(radius(reach)) - LARGEST_RING);
                zones.add(new Zone(city, product, HexTiling.disk(centre, radius), diskSize(radius + LARGEST_RING)));
            }
        }
        return List.copyOf(zones);
    }

    /**
     * Points of a spiral between 53 degrees south and north, away from where longitudes wrap around: some 500 km from one to
     * the next when there are 1,500.
     */
    private static long centre(HexTiling tiling, int city, int cities) {
        double height = 0.8 * (2 * (city + 0.5) / cities - 1);
        double lat = Math.toDegrees(Math.asin(height));
        double turns = city * 0.6180339887498949;
        return tiling.cell(lat, 340 * (turns - Math.floor(turns)) - 170);
    }

    static long diskSize(int radius) {
        return 1 + 3L * radius * (radius + 1);
    }

    /** The radius of a regular disk of so many cells. */
    static int radiusOf(long cells) {
        return (int) Math.round(radius((double) cells));
    }

    /** The radius of the disk of so many cells. */
    private static double radius(double cells) {
        return (Math.sqrt(Math.max(0, 12 * cells - 3)) - 3) / 6;
    }

    private void shareOut(int hotCity, double factor) {
        double total = 0;
        for (Zone zone : zones) {
            total += weight(zone, hotCity, factor);
        }
        double upTo = 0;
        int draw = 0;
        for (int z = 0; z < zones.size(); z++) {
            upTo += weight(zones.get(z), hotCity, factor);
            int end = z == zones.size() - 1 ? DRAWS : (int) Math.round(upTo / total * DRAWS);
            while (draw < end) {
                zoneOfDraw[draw++] = z;
            }
        }
    }

    private static double weight(Zone zone, int hotCity, double factor) {
        return zone.reach() * (zone.city() == hotCity ? factor : 1);
    }

    List<Zone> zones() {
        return zones;
    }

    /** The zone, by its number, that 16 random bits fall on. */
    int zoneOf(int draw) {
        return zoneOfDraw[draw & (DRAWS - 1)];
    }

    /** The place in a zone's cells that a number in [0, 1) falls on: four times as many in the middle as at the border. */
    static int placeOf(Zone zone, double at) {
        // The density of a quadratic fall over the disk's area, from the centre outwards.
        double share = at * (0.4 + 0.6 * at);
        return (int) (share * zone.cells().length);
    }

    /** A product's UUID as text. */
    static String product(int product) {
        return new UUID(productHi(product), productLo(product)).toString();
    }

    /** The product's identity as the two halves of a UUID. */
    static long productHi(int product) {
        return (Mix.of(PRODUCTS_SEED, product) & ~0xF000L) | 0x4000L;
    }

    static long productLo(int product) {
        return (Mix.of(PRODUCTS_SEED, product + 100) & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    }
}
