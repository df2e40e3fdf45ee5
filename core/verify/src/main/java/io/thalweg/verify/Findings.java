package io.thalweg.verify;

import io.thalweg.model.row.Finality;
import io.thalweg.model.view.FeatureView;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The result of comparing rows with a recount. Not safe to share between threads. */
public final class Findings {
    private static final int EXAMPLES = 3;

    private final FeatureView view;
    private final RowFingerprints expected;
    private final Finding different = new Finding("different");
    private final Finding unexpected = new Finding("unexpected");
    private final Finding repeated = new Finding("repeated");
    private final Finding missing = new Finding("missing");
    private long equal;

    public Findings(FeatureView view) {
        this.view = view;
        this.expected = new RowFingerprints(view);
    }

    /** Adds a row of the recount. All of them must precede the first call of {@link #row}. */
    public void expect(ComparedRow row) {
        expected.expect(row);
    }

    /** The number of expected rows. */
    public int expected() {
        return expected.size();
    }

    /** Compares a row with the expected ones. */
    public void row(ComparedRow row) {
        RowFingerprints.Match match = match(row);
        if (match == RowFingerprints.Match.EQUAL && row.finality() == Finality.FINAL) {
            equal++;
            return;
        }
        switch (match) {
            case EQUAL, DIFFERENT -> different.add(name(row));
            case UNEXPECTED -> unexpected.add(name(row));
            case REPEATED -> repeated.add(name(row));
        }
    }

    private RowFingerprints.Match match(ComparedRow row) {
        try {
            return expected.match(row);
        } catch (IllegalArgumentException e) {
            // The group cannot belong to this view, for example because it contains an invalid UUID.
            return RowFingerprints.Match.UNEXPECTED;
        }
    }

    /** The number of expected rows that were found, equal or not. */
    public long found() {
        return equal + different.count;
    }

    /** Counts the expected rows that were not found, and repeats the recount to name the first of them. */
    public void findMissing(Recount recount) {
        long absent = expected.size() - found();
        if (absent == 0) {
            return;
        }
        try {
            recount.forEachRow(row -> {
                if (missing.first.size() == Math.min(absent, EXAMPLES)) {
                    throw new Enough();
                }
                if (!expected.isSeen(row)) {
                    missing.add(name(row));
                }
            });
        } catch (Enough enough) {
            missing.count = absent;
        }
    }

    /** Ends an iteration early. */
    private static final class Enough extends RuntimeException {
        private static final long serialVersionUID = 1;

        Enough() {
            super(null, null, false, false);
        }
    }

    private String name(ComparedRow row) {
        StringBuilder name = new StringBuilder();
        if (!view.isKeyed()) {
            name.append(view.cell().name())
                    .append('=')
                    .append(Long.toHexString(row.cell()))
                    .append(' ');
        }
        for (int i = 0; i < row.group().size(); i++) {
            name.append(view.group().get(i).name())
                    .append('=')
                    .append(row.group().get(i))
                    .append(' ');
        }
        return name.append("window_end=")
                .append(Instant.ofEpochMilli(row.windowEndMs()))
                .toString();
    }

    /** Prints the findings; returns whether all rows are equal. */
    public boolean report(PrintWriter out) {
        List<Finding> all = List.of(missing, unexpected, different, repeated);
        if (all.stream().allMatch(finding -> finding.count == 0)) {
            out.println("verify: " + equal + " rows equal");
            return true;
        }
        out.println("verify: rows differ: " + equal + " equal, " + missing.count + " missing, "
                + unexpected.count + " unexpected, " + different.count + " different, " + repeated.count
                + " repeated");
        all.forEach(finding -> finding.print(out));
        return false;
    }

    /** One kind of difference, with its first rows as examples. */
    private static final class Finding {
        private final String kind;
        private final List<String> first = new ArrayList<>();
        private long count;

        Finding(String kind) {
            this.kind = kind;
        }

        void add(String row) {
            count++;
            if (first.size() < EXAMPLES) {
                first.add(row);
            }
        }

        void print(PrintWriter out) {
            first.forEach(row -> out.println("  " + kind + ": " + row));
            if (count > first.size()) {
                out.println("  " + kind + ": and " + (count - first.size()) + " more");
            }
        }
    }
}
