package io.thalweg.bench.soak;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A figure watched over time.
 *
 * <p><b>Shape.</b> At most {@value #MOST} points in the order of time: if more were recorded, each is the median of several
 * consecutive ones.
 *
 * @param name ends in its unit
 * @param bound how far it may rise; null if it is only shown
 */
public record Series(String name, @Nullable Bound bound, List<Point> points) {
    private static final int MOST = 600;
    /** With fewer, a fifth is one point or none, and its median is meaningless. */
    private static final int FEWEST_JUDGED = 10;

    /** A value and its time in seconds since watching began. */
    public record Point(double atSeconds, double value) {}

    /** Limits a rise to a share of the initial value, but never to less than the floor, which is in the figure's unit. */
    public record Bound(double share, double floor) {
        double allowed(double first) {
            return Math.max(floor, share * first);
        }
    }

    /**
     * The trend of a figure.
     *
     * @param first median of the first fifth of its points
     * @param last median of the last fifth
     * @param perHour the rise from the first to the last, per hour
     */
    public record Trend(double first, double last, double perHour) {
        double rise() {
            return last - first;
        }
    }

    /** Thins the points. */
    public Series {
        points = thinned(points);
    }

    private static List<Point> thinned(List<Point> points) {
        int group = (points.size() + MOST - 1) / MOST;
        if (group <= 1) {
            return List.copyOf(points);
        }
        List<Point> thin = new ArrayList<>();
        for (int from = 0; from < points.size(); from += group) {
            thin.add(middle(points.subList(from, Math.min(points.size(), from + group))));
        }
        return List.copyOf(thin);
    }

    /** Returns the median of their values at the median of their times. */
    private static Point middle(List<Point> some) {
        return new Point(
                median(some.stream().mapToDouble(Point::atSeconds).sorted().toArray()),
                median(some.stream().mapToDouble(Point::value).sorted().toArray()));
    }

    private static double median(double[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }

    /**
     * Returns the trend from the first fifth of the points to the last. Medians, so that neither a pause nor a spike counts as
     * drift; the last fifth rather than a regression, so that a late rise counts in full. Null if there are too few points.
     */
    @Nullable
    Trend course() {
        int fifth = points.size() / 5;
        if (points.size() < FEWEST_JUDGED) {
            return null;
        }
        Point first = middle(points.subList(0, fifth));
        Point last = middle(points.subList(points.size() - fifth, points.size()));
        double hours = (last.atSeconds - first.atSeconds) / 3_600;
        return new Trend(first.value, last.value, (last.value - first.value) / hours);
    }

    /** Whether it rose further than it may; false without a bound, or with too few points. */
    public boolean drifts() {
        Trend course = course();
        return bound != null && course != null && course.rise() > bound.allowed(course.first);
    }
}
