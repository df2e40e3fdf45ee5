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
 * Takes stacks of another JVM's threads, Java and native, as often as they have used some processor time: async-profiler,
 * loaded into the process while it runs, which draws them as a flame graph. Threads of the collector, the compilers and of RocksDB are seen, too.
 *
 * <p><b>Threads.</b> One.
 */
record Profiler(long pid, Path agent) {
    /** Of processor time of a thread, from one stack to the next. */
    private static final String INTERVAL = "2ms";

    /**
     * Begins.
     *
     * @param folder for the agent
     * @throws IllegalStateException if the process cannot be profiled here; the message says why
     */
    static Profiler start(long pid, Path folder) throws IOException {
        Profiler profiler = new Profiler(pid, folder.resolve("libasyncProfiler.so"));
        try (InputStream in = Profiler.class.getResourceAsStream("/" + platform() + "/libasyncProfiler.so")) {
            if (in == null) {
                throw new IllegalStateException("there is no profiler for " + platform());
            }
            Files.copy(in, profiler.agent);
        }
        // A timer per thread needs no privileges, other than the kernel's counters.
        profiler.tell("start,event=ctimer,threads,interval=" + INTERVAL);
        return profiler;
    }

    private static String platform() {
        if (System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac")) {
            return "macos";
        }
        return System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
    }

    /** Ends, and draws where time went: a page of HTML, with threads at the top. */
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
