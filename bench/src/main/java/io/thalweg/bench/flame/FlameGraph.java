package io.thalweg.bench.flame;

import io.thalweg.bench.Svg;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Stacks drawn as an SVG: a box per frame, as wide as the share of stacks it stands in, callers above what they call, threads
 * at the top. The widest stands first. A box says its whole name and share where the pointer rests.
 */
public final class FlameGraph {
    private static final double WIDTH = 1_200;
    private static final int ROW = 16;
    private static final int TOP = 48;
    /** Boxes narrower than this are left out. */
    private static final double NARROWEST = 3;

    private static final double CHARACTER_WIDTH = 6.2;

    /** Whose frames have which colour, by how their names begin; the first that fits. */
    private enum Owner {
        THALWEG("Thalweg", "#8fb8e8", "io/thalweg/"),
        FLINK("Flink", "#f3cf7a", "org/apache/flink/"),
        KAFKA("Kafka", "#b4d89b", "org/apache/kafka/"),
        ROCKSDB("RocksDB", "#e9a79f", "org/rocksdb/|rocksdb::|Java_org_rocksdb"),
        JDK("JDK and JVM", "#dcdcdc", "(java|javax|jdk|sun|com/sun)/|\\w+::"),
        THREAD("thread", "#c9bfe3", "\\["),
        OTHER("other", "#f1efe9", "");

        private final String label;
        private final String colour;
        private final Pattern beginning;

        Owner(String label, String colour, String beginning) {
            this.label = label;
            this.colour = colour;
            this.beginning = Pattern.compile(beginning);
        }

        static Owner of(String frame) {
            return Stream.of(values())
                    .filter(owner -> owner.beginning.matcher(frame).lookingAt())
                    .findFirst()
                    .orElse(OTHER);
        }
    }

    /** A frame below its callers. */
    private static final class Box {
        private final Map<String, Box> calls = new HashMap<>();
        private long count;

        void add(String[] frames, int at, long more) {
            count += more;
            if (at < frames.length) {
                calls.computeIfAbsent(frames[at], name -> new Box()).add(frames, at + 1, more);
            }
        }

        int depth(double narrowest) {
            return 1
                    + calls.values().stream()
                            .filter(box -> box.count >= narrowest)
                            .mapToInt(box -> box.depth(narrowest))
                            .max()
                            .orElse(0);
        }
    }

    private final String title;
    private final Box root = new Box();

    /**
     * A graph of stacks.
     *
     * @param stacks {@code [thread];frame;frame count}; threads whose names differ in numbers are one
     */
    public FlameGraph(String title, List<String> stacks) {
        this.title = title;
        for (String line : stacks) {
            int space = line.lastIndexOf(' ');
            String[] frames = line.substring(0, space).split(";", -1);
            frames[0] = thread(frames[0]);
            root.add(frames, 0, Long.parseLong(line.substring(space + 1)));
        }
    }

    private static String thread(String frame) {
        return frame.startsWith("[") ? frame.replaceFirst(" tid=\\d+\\]$", "]").replaceAll("\\d+", "n") : frame;
    }

    /** The graph as SVG. */
    public String svg() {
        int height = TOP + root.depth(NARROWEST * root.count / WIDTH) * ROW + 4;
        Svg svg = new Svg(WIDTH, height, "monospace", 10);
        svg.put("<text x=\"4\" y=\"16\" font-size=\"13\">%s</text>%n", Svg.escaped(title));
        double x = 4;
        for (Owner owner : Owner.values()) {
            svg.put("<rect x=\"%.1f\" y=\"26\" width=\"10\" height=\"10\" fill=\"%s\"/>%n", x, owner.colour);
            svg.put("<text x=\"%.1f\" y=\"35\">%s</text>%n", x + 14, owner.label);
            x += 30 + owner.label.length() * CHARACTER_WIDTH;
        }
        draw(svg, "all", root, 0, TOP);
        return svg.end();
    }

    private void draw(Svg svg, String name, Box box, double x, int y) {
        double width = WIDTH * box.count / root.count;
        if (width < NARROWEST) {
            return;
        }
        svg.put("<g><title>%s: %.2f %%</title>", Svg.escaped(name), 100.0 * box.count / root.count);
        svg.put(
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                x, y, width - 0.5, ROW - 1, Owner.of(name).colour);
        int fits = (int) ((width - 4) / CHARACTER_WIDTH);
        if (fits >= 4) {
            String label = label(name);
            String shown = label.length() <= fits ? label : label.substring(0, fits - 1) + "…";
            svg.put("<text x=\"%.1f\" y=\"%d\">%s</text>", x + 2, y + 11, Svg.escaped(shown));
        }
        svg.put("</g>%n");
        double at = x;
        List<Map.Entry<String, Box>> calls = box.calls.entrySet().stream()
                .sorted(Comparator.<Map.Entry<String, Box>>comparingLong(call -> -call.getValue().count)
                        .thenComparing(Map.Entry::getKey))
                .toList();
        for (Map.Entry<String, Box> call : calls) {
            draw(svg, call.getKey(), call.getValue(), at, y + ROW);
            at += WIDTH * call.getValue().count / root.count;
        }
    }

    /** A method without its package. */
    private static String label(String name) {
        return name.startsWith("[") ? name : name.substring(name.lastIndexOf('/') + 1);
    }
}
