package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.TestRun.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes results as JUnit's XML, which CI systems read: a test case per test, of the class that its file's path names. */
final class JUnitReport {
    private JUnitReport() {}

    static void write(List<Result> results, Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            XMLStreamWriter xml =
                    XMLOutputFactory.newInstance().createXMLStreamWriter(out, StandardCharsets.UTF_8.name());
            suite(results, xml);
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }

    private static void suite(List<Result> results, XMLStreamWriter xml) throws XMLStreamException {
        long failed = results.stream().filter(result -> !result.passed()).count();
        xml.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", "thalweg test");
        xml.writeAttribute("tests", String.valueOf(results.size()));
        xml.writeAttribute("failures", String.valueOf(failed));
        xml.writeAttribute("errors", "0");
        xml.writeAttribute("skipped", "0");
        xml.writeAttribute(
                "time", seconds(results.stream().mapToDouble(Result::seconds).sum()));
        for (Result result : results) {
            testCase(result, xml);
        }
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private static void testCase(Result result, XMLStreamWriter xml) throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", result.test().place().file());
        xml.writeAttribute("name", result.test().name());
        xml.writeAttribute("time", seconds(result.seconds()));
        if (!result.passed()) {
            xml.writeStartElement("failure");
            xml.writeAttribute("message", allowed(result.failures().get(0)));
            xml.writeCharacters(allowed(String.join("\n", result.failures())));
            xml.writeEndElement();
        }
        xml.writeEndElement();
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }

    /** Removes characters that XML does not allow but values of events may contain. */
    private static String allowed(String text) {
        return text.replaceAll("[^\\t\\n\\r\\x{20}-\\x{D7FF}\\x{E000}-\\x{FFFD}\\x{10000}-\\x{10FFFF}]", "\uFFFD");
    }
}
