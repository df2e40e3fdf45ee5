package io.thalweg.kernel.naive;

import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Computes the rows of a keyed view naively: for each window end, key, measure and window, over all events of the key.
 *
 * <p><b>Shape.</b> Values as defined by {@link NaiveKeyedRow}, measures outer, windows inner.
 *
 * <p><b>Threads.</b> Not safe to share.
 */
public final class NaiveKeyed {
    private record Event(long matches, long[] inputs) {}

    private final KeyedSpec spec;
    /** key → pane → events. */
    private final TreeMap<String, TreeMap<Long, List<Event>>> events = new TreeMap<>();

    /** Creates an empty recount. */
    public NaiveKeyed(KeyedSpec spec) {
        this.spec = spec;
    }

    /** Counts an event; matches and inputs as in {@link io.thalweg.kernel.keyed.KeyedBlock}. */
    public void add(String key, long pane, long matches, long... inputs) {
        events.computeIfAbsent(key, k -> new TreeMap<>())
                .computeIfAbsent(pane, p -> new ArrayList<>())
                .add(new Event(matches, inputs.clone()));
    }

    /** Returns all rows by (end, key), from the first pane's end until all windows are empty. */
    public List<NaiveKeyedRow> rows() {
        List<NaiveKeyedRow> rows = new ArrayList<>();
        events.forEach((key, panes) -> {
            Set<Long> ends = new TreeSet<>();
            panes.keySet().forEach(pane -> {
                for (long end = pane + 1; end <= pane + spec.largestPanes() + 1; end++) {
                    ends.add(end);
                }
            });
            ends.forEach(end -> rows.add(row(key, end)));
        });
        rows.sort(Comparator.comparingLong(NaiveKeyedRow::end).thenComparing(NaiveKeyedRow::key));
        return rows;
    }

    /** Returns the row of a key at an end over the events so far, even if it has no events. */
    public NaiveKeyedRow row(String key, long end) {
        List<@Nullable Object> values = new ArrayList<>();
        for (KeyedMeasure measure : spec.measures()) {
            for (int panes : spec.windowPanes()) {
                values.add(value(measure, panes, matching(key, end, panes, measure.filter())));
            }
        }
        return new NaiveKeyedRow(
                key, end, matching(key, end, spec.largestPanes(), 0).size(), values);
    }

    private List<Event> matching(String key, long end, int panes, int filter) {
        Map<Long, List<Event>> byPane =
                events.getOrDefault(key, new TreeMap<>()).subMap(end - panes, end);
        return byPane.values().stream()
                .flatMap(List::stream)
                .filter(event -> filter == 0 || (event.matches >>> (filter - 1) & 1) == 1)
                .toList();
    }

    private @Nullable Object value(KeyedMeasure measure, int panes, List<Event> matching) {
        int column = measure.column();
        boolean decimal = measure.input() == KeyedMeasure.Input.DOUBLE;
        List<BigDecimal> inputs = new ArrayList<>();
        Set<List<Long>> ids = new HashSet<>();
        for (Event event : matching) {
            switch (measure.kind()) {
                case COUNT -> inputs.add(BigDecimal.ONE);
                case COUNT_DISTINCT -> ids.add(id(measure, event));
                default ->
                    inputs.add(
                            decimal
                                    ? new BigDecimal(Double.longBitsToDouble(event.inputs[column]))
                                    : BigDecimal.valueOf(event.inputs[column]));
            }
        }
        BigDecimal sum = inputs.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        return switch (measure.kind()) {
            case COUNT, SUM -> amount(measure, panes, sum);
            case COUNT_DISTINCT -> amount(measure, panes, BigDecimal.valueOf(ids.size()));
            case MEAN -> inputs.isEmpty() ? null : quotient(sum, BigDecimal.valueOf(inputs.size()));
            case MIN ->
                decimal
                        ? extreme(matching, column, -1)
                        : integer(inputs.stream().reduce(BigDecimal::min).orElse(null));
            case MAX ->
                decimal
                        ? extreme(matching, column, 1)
                        : integer(inputs.stream().reduce(BigDecimal::max).orElse(null));
        };
    }

    private static List<Long> id(KeyedMeasure measure, Event event) {
        long first = event.inputs[measure.column()];
        return measure.input() == KeyedMeasure.Input.ID128
                ? List.of(first, event.inputs[measure.column() + 1])
                : List.of(first);
    }

    /** Compares by {@code Double.compare}, which distinguishes the two zeros. */
    private static @Nullable Object extreme(List<Event> matching, int column, int sign) {
        return matching.stream()
                .map(event -> Double.longBitsToDouble(event.inputs[column]))
                .max((a, b) -> sign * Double.compare(a, b))
                .orElse(null);
    }

    private static @Nullable Object integer(@Nullable BigDecimal value) {
        return value == null ? null : value.toBigIntegerExact();
    }

    private Object amount(KeyedMeasure measure, int panes, BigDecimal amount) {
        if (measure.perMs() > 0) {
            BigInteger windowMs = BigInteger.valueOf(spec.everyMs()).multiply(BigInteger.valueOf(panes));
            return quotient(amount.multiply(BigDecimal.valueOf(measure.perMs())), new BigDecimal(windowMs));
        }
        boolean decimal = measure.kind() == KeyedMeasure.Kind.SUM && measure.input() == KeyedMeasure.Input.DOUBLE;
        return decimal ? (Object) quotient(amount, BigDecimal.ONE) : amount.toBigIntegerExact();
    }

    /** Divides with so many digits that the truncated rest cannot decide between two doubles; parsing the text rounds once. */
    private static double quotient(BigDecimal numerator, BigDecimal denominator) {
        if (numerator.signum() == 0) {
            return 0.0;
        }
        MathContext digits = new MathContext(numerator.precision() + 60, RoundingMode.DOWN);
        return Double.parseDouble(numerator.divide(denominator, digits).toString());
    }
}
