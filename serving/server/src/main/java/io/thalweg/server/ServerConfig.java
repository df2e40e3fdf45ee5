package io.thalweg.server;

import io.thalweg.model.deployment.Access;
import io.thalweg.model.deployment.TracingConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.server.access.Gate;
import io.thalweg.server.console.ConsoleConfig;
import io.thalweg.server.read.ServingLog;
import io.thalweg.server.versions.Switching;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where and how the server listens.
 *
 * @param bind a loopback address or name, unless {@code access} protects the ports
 * @param port 0 = any free one
 * @param adminPort for administration, on the same address; 0 = any free one, null = none
 * @param readThreads reads that run at once
 * @param queuedReads reads that may wait for a thread; further ones are refused as RESOURCE_EXHAUSTED
 * @param drain how long a stop waits for requests in progress
 * @param requestTimeout after which a request is answered DEADLINE_EXCEEDED
 * @param readyMaxAge how far a view's watermark may be behind for the server to be ready; null = the view's {@code ttl}
 * @param access who may use the ports
 * @param console what the console shows besides the data
 * @param qalm load management in front of the reads
 * @param switching how several versions of a view are treated
 * @param tracing where traces of reads are sent; null = reads are not traced
 * @param servingLog is offered the answers to reads; belongs to the caller
 */
public record ServerConfig(
        String bind,
        int port,
        @Nullable Integer adminPort,
        int readThreads,
        int queuedReads,
        Duration drain,
        Duration requestTimeout,
        @Nullable Duration readyMaxAge,
        Access access,
        ConsoleConfig console,
        Qalm qalm,
        Switching switching,
        @Nullable TracingConfig tracing,
        ServingLog servingLog) {
    /**
     * Load management, described in {@code docs/reference/qalm.md}.
     *
     * @param mode the strongest mode; the rules may set a weaker one
     * @param rules file of the rules, watched for changes; null = none
     * @param control address of rules for many servers, polled every 15 s; null = none. Without both all endpoints and callers
     *     are equal until the admin port sets other policies
     * @param dir where the rules in force and the audit trail are kept; used only with {@code rules}, {@code control} or an admin
     *     port
     */
    public record Qalm(
            Mode mode, @Nullable Path rules, @Nullable URI control, Path dir) {
        /** On, with all callers equal. */
        public static final Qalm DEFAULT = new Qalm(Mode.ON, null, Path.of(".thalweg", "qalm"));

        /** Creates a configuration without a control service. */
        public Qalm(Mode mode, @Nullable Path rules, Path dir) {
            this(mode, rules, null, dir);
        }
    }

    public ServerConfig {
        Gate.requireBindable(bind, access);
        requirePort("server.port", port);
        if (adminPort != null) {
            requirePort("server.admin_port", adminPort);
            require(
                    adminPort == 0 || adminPort != port,
                    "server.admin_port must differ from server.port, was " + adminPort + "; 0 = any free one");
        }
        require(readThreads >= 1, "server.read_threads must be at least 1, was " + readThreads);
        require(queuedReads >= 1, "server.queued_reads must be at least 1, was " + queuedReads);
        require(!drain.isNegative(), "server.drain must not be negative, was " + drain);
        require(requestTimeout.toMillis() > 0, "server.request_timeout must be at least 1ms, was " + requestTimeout);
    }

    /**
     * Returns a configuration for 127.0.0.1 with values that suit one machine: names keep their versions, and reads are not
     * traced.
     */
    public static ServerConfig loopback(int port) {
        return new Fields(port).build();
    }

    /** Returns a copy with another address and other users. */
    public ServerConfig withBind(String other, Access users) {
        return with(fields -> {
            fields.bind = other;
            fields.access = users;
        });
    }

    /** Returns a copy with a port for administration; null = none. */
    public ServerConfig withAdminPort(@Nullable Integer other) {
        return with(fields -> fields.adminPort = other);
    }

    /** Returns a copy with other limits on reads that run and wait at once. */
    public ServerConfig withReads(int threads, int queued) {
        return with(fields -> {
            fields.readThreads = threads;
            fields.queuedReads = queued;
        });
    }

    /** Returns a copy with another wait for requests in progress. */
    public ServerConfig withDrain(Duration other) {
        return with(fields -> fields.drain = other);
    }

    /** Returns a copy with another time that a request may take. */
    public ServerConfig withRequestTimeout(Duration other) {
        return with(fields -> fields.requestTimeout = other);
    }

    /** Returns a copy with other load management. */
    public ServerConfig withQalm(Qalm other) {
        return with(fields -> fields.qalm = other);
    }

    /** Returns a copy with a limit on the age of watermarks; null = each view's {@code ttl}. */
    public ServerConfig withReadyMaxAge(@Nullable Duration other) {
        return with(fields -> fields.readyMaxAge = other);
    }

    /** Returns a copy with another console. */
    public ServerConfig withConsole(ConsoleConfig other) {
        return with(fields -> fields.console = other);
    }

    /** Returns a copy with another treatment of several versions of a view. */
    public ServerConfig withSwitching(Switching other) {
        return with(fields -> fields.switching = other);
    }

    /** Returns a copy with traces of reads; null = none. */
    public ServerConfig withTracing(@Nullable TracingConfig other) {
        return with(fields -> fields.tracing = other);
    }

    /** Returns a copy that offers the answers to reads to a log. */
    public ServerConfig withServingLog(ServingLog other) {
        return with(fields -> fields.servingLog = other);
    }

    private ServerConfig with(Consumer<Fields> change) {
        Fields fields = new Fields(this);
        change.accept(fields);
        return fields.build();
    }

    /** The components before validation. */
    private static final class Fields {
        private final int port;
        private String bind = "127.0.0.1";
        private @Nullable Integer adminPort;
        private int readThreads = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
        private int queuedReads = 256;
        private Duration drain = Duration.ofSeconds(5);
        private Duration requestTimeout = Duration.ofSeconds(10);
        private @Nullable Duration readyMaxAge;
        private Access access = Access.OPEN;
        private ConsoleConfig console = ConsoleConfig.DEFAULT;
        private Qalm qalm = Qalm.DEFAULT;
        private Switching switching = Switching.NONE;
        private @Nullable TracingConfig tracing;
        private ServingLog servingLog = ServingLog.NONE;

        Fields(int port) {
            this.port = port;
        }

        Fields(ServerConfig config) {
            port = config.port;
            bind = config.bind;
            adminPort = config.adminPort;
            readThreads = config.readThreads;
            queuedReads = config.queuedReads;
            drain = config.drain;
            requestTimeout = config.requestTimeout;
            readyMaxAge = config.readyMaxAge;
            access = config.access;
            console = config.console;
            qalm = config.qalm;
            switching = config.switching;
            tracing = config.tracing;
            servingLog = config.servingLog;
        }

        ServerConfig build() {
            return new ServerConfig(
                    bind,
                    port,
                    adminPort,
                    readThreads,
                    queuedReads,
                    drain,
                    requestTimeout,
                    readyMaxAge,
                    access,
                    console,
                    qalm,
                    switching,
                    tracing,
                    servingLog);
        }
    }

    private static void requirePort(String key, int port) {
        require(port >= 0 && port <= 65_535, key + " must be from 0 to 65535, was " + port);
    }

    private static void require(boolean holds, String rule) {
        if (!holds) {
            throw new IllegalArgumentException(rule);
        }
    }
}
