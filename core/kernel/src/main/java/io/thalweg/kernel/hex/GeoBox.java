package io.thalweg.kernel.hex;

/**
 * The area between two meridians and two parallels, its edges included.
 *
 * @param west degrees, in [-180, 180]
 * @param south degrees, in [-90, 90]
 * @param east degrees, in [-180, 180]; below {@code west} if the box crosses the antimeridian
 * @param north degrees, in [-90, 90]
 */
public record GeoBox(double west, double south, double east, double north) implements GeoArea {
    private static final int TURN = 360;

    /**
     * Creates a box.
     *
     * @throws IllegalArgumentException if an edge is out of range, or {@code south} above {@code north}
     */
    public GeoBox {
        if (!(Math.abs(west) <= 180 && Math.abs(east) <= 180)) {
            throw new IllegalArgumentException(
                    "west and east must be from -180 to 180, were %s and %s".formatted(west, east));
        }
        if (!(south >= -90 && south <= north && north <= 90)) {
            throw new IllegalArgumentException(
                    "south and north must be from -90 to 90 and ascend, were %s and %s".formatted(south, north));
        }
    }

    /** The east edge as a longitude of at least {@code west}. */
    private double unwrappedEast() {
        return east < west ? east + TURN : east;
    }

    @Override
    public boolean contains(double latDeg, double lngDeg) {
        return latDeg >= south && latDeg <= north && (isWithin(lngDeg) || isWithin(lngDeg + TURN));
    }

    private boolean isWithin(double lngDeg) {
        return lngDeg >= west && lngDeg <= unwrappedEast();
    }

    @Override
    public boolean borders(double westDeg, double southDeg, double eastDeg, double northDeg) {
        if (northDeg < south || southDeg > north) {
            return false;
        }
        boolean within = southDeg >= south && northDeg <= north;
        if (unwrappedEast() - west >= TURN) {
            return !within;
        }
        for (int shift = -2 * TURN; shift <= TURN; shift += TURN) {
            double from = west + shift;
            double to = unwrappedEast() + shift;
            if (eastDeg >= from && westDeg <= to) {
                return !(within && westDeg >= from && eastDeg <= to);
            }
        }
        return false;
    }

    @Override
    public double share() {
        double turn = (unwrappedEast() - west) / TURN;
        return turn * (Math.sin(Math.toRadians(north)) - Math.sin(Math.toRadians(south))) / 2;
    }
}
