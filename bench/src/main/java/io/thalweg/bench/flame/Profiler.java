package io.thalweg.bench.flame;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Takes stacks of another JVM's threads, Java and native, as often as they have used some processor time: async-profiler,
 * loaded into the process while it runs. Threads of the collector, the compilers and of RocksDB are seen, too.
 *
 * <p><b>Threads.</b> One.
 */
public final class Profiler {
    /** Of processor time of a thread, from one stack to the next. */
    private static final String INTERVAL = "2ms";

    private final long pid;
    private final Path agent;
    private final Path stacks;

    private Profiler(long pid, Path folder) {
        this.pid = pid;
        agent = folder.resolve("libasyncProfiler.so");
        stacks = folder.resolve("stacks.txt");
    }

    /**
     * Begins.
     *
     * @param folder where the agent and the stacks may lie
     * @throws IllegalStateException if the process cannot be profiled here; the message says why
     */
    public static Profiler start(long pid, Path folder) throws IOException {
        Profiler profiler = new Profiler(pid, folder);
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

    /** Ends, and returns the stacks: {@code [thread];frame;frame count} from the outermost frame inwards. */
    public List<String> stop() throws IOException {
        tell("stop,collapsed,threads,norm,file=" + stacks);
        return Files.readAllLines(stacks);
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
