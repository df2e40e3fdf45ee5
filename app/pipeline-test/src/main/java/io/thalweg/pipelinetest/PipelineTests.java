package io.thalweg.pipelinetest;

import io.thalweg.model.Definitions;
import io.thalweg.runner.ViewFiles;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The tests of files, as {@code test} and {@code validate} read them. */
public final class PipelineTests {
    private PipelineTests() {}

    /**
     * Reads the tests of files and folders with the definitions that they name.
     *
     * @param named receives the files that tests and definitions name
     */
    static List<PipelineTest> load(List<Path> files, ViewFiles viewFiles, boolean recording, Set<Path> named) {
        Definitions.Loaded loaded = viewFiles.definitions(files);
        named.addAll(viewFiles.deploymentConfig().views());
        return new PipelineTestReader(viewFiles, loaded, recording, named).read(loaded.tests());
    }

    /**
     * Returns a line for each test of these definitions, if all are valid.
     *
     * @throws io.thalweg.model.problem.DefinitionException with all problems of the tests
     */
    public static List<String> describe(Definitions.Loaded loaded, ViewFiles viewFiles) {
        return new PipelineTestReader(viewFiles, loaded, false, new HashSet<>())
                .read(loaded.tests()).stream()
                        .map(test -> "%s: valid; test of %s".formatted(test.name(), test.subject()))
                        .toList();
    }
}
