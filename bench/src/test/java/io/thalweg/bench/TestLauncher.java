package io.thalweg.bench;

import java.nio.file.Path;
import java.util.Map;

/** {@code ./thalweg} as tests start it, without its look at the build. */
public final class TestLauncher {
    /** The script. */
    public static final Path PATH = Path.of("..", "thalweg").toAbsolutePath().normalize();

    /**
     * For processes that live for seconds and of which no speed is looked at: what the second compiler and the verifier of bytecode
     * cost would not come back.
     */
    public static final Map<String, String> ENVIRONMENT = Map.of(
            "THALWEG_NO_BUILD",
            "1",
            "JAVA_TOOL_OPTIONS",
            "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote");

    private TestLauncher() {}
}
