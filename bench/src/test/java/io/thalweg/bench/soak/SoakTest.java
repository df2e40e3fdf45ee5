package io.thalweg.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.soak.Series.Bound;
import io.thalweg.bench.soak.Series.Point;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class SoakTest {
    private static final Soak SOAK = new Soak(
            "a <title> & more",
            List.of(
                    new Series("heap_live_bytes", new Bound(0.1, 1e6), rising(20, 100e6, 10e6)),
                    new Series("assembled_ms", new Bound(0.5, 500), rising(20, 1_000, 10)),
                    new Series("rss_bytes", new Bound(0.1, 1e6), rising(3, 1e9, 1e9)),
                    new Series("heap_after_gc_bytes", null, rising(20, 1e6, 1e6))));

    private static List<Point> rising(int points, double from, double step) {
        return IntStream.range(0, points)
                .mapToObj(i -> new Point(60.0 * i, from + step * i))
                .toList();
    }

    @Test
    void drifts_oneOfFourRises_namesItAndByHowMuch() {
        assertThat(SOAK.drifts())
                .containsExactly("heap_live_bytes rose from 115.0 MB to 275.0 MB (600.0 MB an hour);"
                        + " 11.5 MB would be allowed");
        assertThat(SOAK.unjudged()).containsExactly("rss_bytes");
    }

    @Test
    void print_driftAndTooFewPoints_areBothSaid() {
        StringWriter text = new StringWriter();
        SOAK.print(new PrintWriter(text));
        assertThat(text.toString())
                .contains("DRIFT: heap_live_bytes", "too few points to judge: rss_bytes", "1015 ms", "1175 ms")
                .doesNotContain("nothing drifts");
    }

    @Test
    void print_nothingRises_saysSo() {
        StringWriter text = new StringWriter();
        new Soak("calm", List.of(SOAK.series().get(1))).print(new PrintWriter(text));
        assertThat(text.toString()).contains("nothing drifts").doesNotContain("DRIFT");
    }

    @Test
    void writeChart_allSeries_isXmlWithALineForEach(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("soak.svg");
        SOAK.writeChart(file);
        Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
        assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(4);
        assertThat(svg.getElementsByTagName("text").item(0).getTextContent()).isEqualTo("a <title> & more");
        assertThat(Files.readString(file)).containsOnlyOnce("<polyline fill=\"none\" stroke=\"#c62828\"");
    }
}
