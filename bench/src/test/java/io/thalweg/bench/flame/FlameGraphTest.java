package io.thalweg.bench.flame;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class FlameGraphTest {
    /** A box as drawn: name and share, where from, how wide, in which row. */
    private record Box(String title, double x, double width, int y) {}

    private static List<Box> boxes(String... stacks) throws Exception {
        String svg = new FlameGraph("a <title>", List.of(stacks)).svg();
        NodeList groups = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(svg)))
                .getElementsByTagName("g");
        List<Box> boxes = new ArrayList<>();
        for (int i = 0; i < groups.getLength(); i++) {
            Element group = (Element) groups.item(i);
            Element rect = (Element) group.getElementsByTagName("rect").item(0);
            boxes.add(new Box(
                    group.getElementsByTagName("title").item(0).getTextContent(),
                    Double.parseDouble(rect.getAttribute("x")),
                    Double.parseDouble(rect.getAttribute("width")),
                    Integer.parseInt(rect.getAttribute("y"))));
        }
        return boxes;
    }

    @Test
    void svg_someStacks_boxesAsWideAsTheirShareAndTheWidestFirst() throws Exception {
        assertThat(boxes("[main tid=1];java/A.<init> 25", "[main tid=1];io/thalweg/B.run;io/thalweg/C.sum 75"))
                .containsExactly(
                        new Box("all: 100.00 %", 0, 1_199.5, 48),
                        new Box("[main]: 100.00 %", 0, 1_199.5, 64),
                        new Box("io/thalweg/B.run: 75.00 %", 0, 899.5, 80),
                        new Box("io/thalweg/C.sum: 75.00 %", 0, 899.5, 96),
                        new Box("java/A.<init>: 25.00 %", 900, 299.5, 80));
    }

    @Test
    void svg_threadsOfOnePool_areOne() throws Exception {
        assertThat(boxes("[pool (1/2) tid=7];a 1", "[pool (2/2) tid=8];a 1"))
                .extracting(Box::title)
                .containsExactly("all: 100.00 %", "[pool (n/n)]: 100.00 %", "a: 100.00 %");
    }

    @Test
    void svg_tinyShare_isLeftOutAndNeedsNoRow() {
        String svg = new FlameGraph("t", List.of("a;b 999", "a;c;d;e 1")).svg();
        assertThat(svg).contains("b: 99.90 %").doesNotContain("c: ").contains("viewBox=\"0 0 1200 100\"");
    }
}
