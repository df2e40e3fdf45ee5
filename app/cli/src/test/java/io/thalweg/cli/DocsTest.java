package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The documentation refers only to pages, headings and classes that exist. */
class DocsTest {
    private static final Path ROOT = Checkout.ROOT;
    private static final List<String> FOLDERS =
            List.of("docs", "bench/results", "clients", "deploy", "examples", ".github");
    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern ANCHOR = Pattern.compile("<a name=\"([^\"]+)\"");
    private static final Pattern CLASS = Pattern.compile("`(?:[a-z.]+\\.)?([A-Z][a-zA-Z]*[a-z][a-zA-Z]*)`");
    private static final Pattern NUMBERS_WITHOUT_A_FILE = Pattern.compile("(?m)^\\| ([\\d, ]+) \\|");

    private static final Map<Path, String> PAGES = new HashMap<>();

    @BeforeAll
    static void readPages() throws IOException {
        try (Stream<Path> files = Files.list(ROOT)) {
            read(files);
        }
        for (String folder : FOLDERS) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                read(files);
            }
        }
    }

    private static void read(Stream<Path> files) throws IOException {
        for (Path file : files.filter(path -> path.toString().endsWith(".md")).toList()) {
            PAGES.put(file, CODE_BLOCK.matcher(Files.readString(file)).replaceAll(""));
        }
    }

    @Test
    void links_all_leadToAFileAndAHeading() {
        Set<String> broken = new TreeSet<>();
        PAGES.forEach((page, text) -> groups(LINK, text)
                .filter(link -> !link.matches("[a-z]+:.*"))
                .filter(link -> !leadsSomewhere(page, link))
                .forEach(link -> broken.add(ROOT.relativize(page) + ": " + link)));

        assertThat(PAGES).hasSizeGreaterThan(40);
        assertThat(broken).isEmpty();
    }

    private static boolean leadsSomewhere(Path page, String link) {
        int hash = link.indexOf('#');
        String file = hash < 0 ? link : link.substring(0, hash);
        Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        String text = PAGES.get(target);
        return Files.exists(target)
                && (hash < 0 || text == null || anchors(text).contains(link.substring(hash + 1)));
    }

    private static Set<String> anchors(String text) {
        Set<String> anchors =
                groups(HEADING, text).map(DocsTest::anchor).collect(Collectors.toCollection(HashSet::new));
        groups(ANCHOR, text).forEach(anchors::add);
        return anchors;
    }

    /** The anchor that GitHub gives a heading. */
    private static String anchor(String heading) {
        return heading.strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    @Test
    void architectureAndGlossary_eachClass_exists() throws IOException {
        Set<String> sources;
        try (Stream<Path> files = Files.find(
                ROOT,
                20,
                (path, attributes) ->
                        path.toString().endsWith(".java") && path.toString().contains("/src/"))) {
            sources = files.map(path -> path.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }

        for (String page : List.of("docs/architecture.md", "docs/glossary.md")) {
            assertThat(groups(CLASS, page(page)).collect(Collectors.toSet()))
                    .as(page)
                    .hasSizeGreaterThan(30)
                    .isSubsetOf(sources);
        }
    }

    @Test
    void readme_isShortAndItsTranscriptIsThatOfTheDemo() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        List<String> demo = Files.readAllLines(ROOT.resolve("docs/demo.txt"));
        String transcript = readme.substring(readme.indexOf("```text\n") + 8, readme.indexOf("```\n<!-- end of demo"));

        assertThat(readme.lines()).hasSizeLessThanOrEqualTo(100);
        assertThat(transcript.lines().filter(line -> !line.equals("…"))).isSubsetOf(demo);
    }

    @Test
    void index_listsEveryPage() {
        Path docs = ROOT.resolve("docs");
        Path index = docs.resolve("README.md");
        Set<Path> listed = groups(LINK, page("docs/README.md"))
                .map(link -> docs.resolve(link.replaceAll("#.*", "")).normalize())
                .collect(Collectors.toSet());

        assertThat(PAGES.keySet().stream()
                        .filter(page -> page.startsWith(docs) && !page.equals(index))
                        .filter(page -> !page.getFileName().toString().matches("\\d.*")))
                .hasSizeGreaterThan(30)
                .isSubsetOf(listed);
    }

    @Test
    void decisions_eachNumberHasAFileOrAReasonWhyNot() throws IOException {
        Set<Integer> numbers = new TreeSet<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("docs/adr"))) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("\\d.*"))
                    .forEach(name -> numbers.add(Integer.valueOf(name.substring(0, 4))));
        }
        int last = Collections.max(numbers);
        groups(NUMBERS_WITHOUT_A_FILE, page("docs/adr/README.md"))
                .flatMap(row -> Stream.of(row.split(", ")))
                .forEach(number -> numbers.add(Integer.valueOf(number)));

        assertThat(numbers).hasSize(last);
    }

    private static String page(String name) {
        return Objects.requireNonNull(PAGES.get(ROOT.resolve(name)), name);
    }

    private static Stream<String> groups(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult result) -> result.group(1));
    }
}
