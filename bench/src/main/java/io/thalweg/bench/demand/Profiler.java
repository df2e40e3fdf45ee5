package io.thalweg.bench.demand;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Samples the stacks of another JVM's threads, Java and native, by the CPU time that they use: with async-profiler, which is
 * loaded into the process while it runs and draws them as a flame graph. Threads of the collector, the compilers and RocksDB are
 * included.
 *
 * <p><b>Threads.</b> One.
 */
record Profiler(long pid, Path agent) {
    /** The CPU time of a thread from one stack to the next. */
    private static final String INTERVAL = "2ms";

    /**
     * Starts to sample.
     *
     * @param folder for the agent
     * @throws IllegalStateException if the process cannot be profiled here; the message gives the reason
     */
    static Profiler start(long pid, Path folder) throws IOException {
        Profiler profiler = new Profiler(pid, folder.resolve("libasyncProfiler.so"));
        try (InputStream in = Profiler.class.getResourceAsStream("/" + platform() + "/libasyncProfiler.so")) {
            if (in == null) {
                throw new IllegalStateException("there is no profiler for " + platform());
            }
            Files.copy(in, profiler.agent);
        }
        // A timer per thread, because unlike the kernel's counters it needs no privileges.
        profiler.tell("start,event=ctimer,threads,interval=" + INTERVAL);
        return profiler;
    }

    private static String platform() {
        if (System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac")) {
            return "macos";
        }
        return System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
    }

    /** Stops sampling and writes the flame graph: an HTML page with threads at the top. */
    void stop(String title, Path file) throws IOException {
        tell("stop,flamegraph,threads,norm,title=%s,file=%s".formatted(title.replace(',', ';'), file.toAbsolutePath()));
    }

    private void tell(String command) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(String.valueOf(pid));
            try {
                machine.loadAgentPath(agent.toString(), command);
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException e) {
            throw new IllegalStateException("the profiler did not do '" + command + "': " + e.getMessage(), e);
        }
    }
}
