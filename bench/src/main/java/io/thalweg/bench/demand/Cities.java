package io.thalweg.bench.demand;

import io.thalweg.kernel.hex.HexTiling;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The places of riders: cities all over the world, each with one zone per product, a disk of cells around the city's centre. A
 * zone's <em>reach</em> is the disk that gets rows: all cells within the largest ring of the zone.
 *
 * <p><b>Shape.</b> A product's reach covers 70, 25 and 12 % of a city's cells, but is never smaller than one disk of the largest
 * ring; a further product is offered where its share is at least that large. With 1,500 cities of 76,000 cells down to 2,100
 * (4,000 in the mean) that makes five million (cell, product) pairs.
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
    /** A product has the same UUID in every city, so that there are few products and the events of a tile are of several. */
    private static final long PRODUCTS_SEED = 0x70726f64L;

    private final List<Zone> zones;
    /** Maps 65,536 equally likely draws to zones, so that zones are drawn in proportion to their reach. */
    private final int[] zoneOfDraw = new int[DRAWS];

    /**
     * The cells where a product is requested in a city.
     *
     * @param product its number
     * @param cells from the centre outwards
     * @param reach the number of cells that get rows: that of a regular disk
     */
    record Zone(int city, int product, long[] cells, long reach) {}

    Cities(Load load) {
        zones = zones(load);
        shareOut();
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
     * Returns a point of a spiral between 53 degrees south and north, away from the antimeridian: neighbours are some 500 km
     * apart if there are 1,500 cities.
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

    /** Returns the radius of a regular disk with this number of cells. */
    static int radiusOf(long cells) {
        return (int) Math.round(radius((double) cells));
    }

    /** Returns the radius of the disk with this number of cells. */
    private static double radius(double cells) {
        return (Math.sqrt(Math.max(0, 12 * cells - 3)) - 3) / 6;
    }

    private void shareOut() {
        double total = zones.stream().mapToLong(Zone::reach).sum();
        double upTo = 0;
        int draw = 0;
        for (int z = 0; z < zones.size(); z++) {
            upTo += zones.get(z).reach();
            int end = z == zones.size() - 1 ? DRAWS : (int) Math.round(upTo / total * DRAWS);
            while (draw < end) {
                zoneOfDraw[draw++] = z;
            }
        }
    }

    List<Zone> zones() {
        return zones;
    }

    /** Returns the number of the zone that 16 random bits draw. */
    int zoneOf(int draw) {
        return zoneOfDraw[draw & (DRAWS - 1)];
    }

    /** Returns the position in a zone's cells that a number in [0, 1) draws: four times as likely in the middle as at the border. */
    static int placeOf(Zone zone, double at) {
        // The density falls quadratically over the disk's area, from the centre outwards.
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
