package io.thalweg.formats;

import io.thalweg.records.SchemaText.Language;
import io.thalweg.records.registry.RegisteredSchema;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.registry.SchemaRegistry;
import io.thalweg.records.registry.WriterSchemas;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the schemas of a registry. While the registry is unavailable, calls wait, because messages that cannot be read meanwhile
 * are not bad. Each wait is reported at its beginning and every ten seconds, and fails after ten minutes with the exception of
 * the last attempt. The {@value #MOST_KEPT} most recently used schemas are cached.
 *
 * <p><b>Threads.</b> Safe; while one thread waits, the others wait too.
 */
final class RegistrySchemas implements WriterSchemas {
    static final int MOST_KEPT = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(RegistrySchemas.class);
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LAST_PAUSE_MS = 5_000;
    private static final long REPORTED_EVERY_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long WAITED_FOR_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final SchemaRegistry registry;
    private final Language language;
    private final String subject;
    private final LongSupplier nanos;
    private final Pause pause;
    private final Map<Integer, RegisteredSchema> kept = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, RegisteredSchema> eldest) {
            return size() > MOST_KEPT;
        }
    };

    /** Waits between two attempts. */
    interface Pause {
        void sleep(long ms) throws InterruptedException;
    }

    RegistrySchemas(SchemaRegistry registry, Language language, String subject, LongSupplier nanos, Pause pause) {
        this.registry = registry;
        this.language = language;
        this.subject = subject;
        this.nanos = nanos;
        this.pause = pause;
    }

    /** Creates a reader of the schemas that messages of a source name. */
    static WriterSchemas of(SourceSchema source) {
        SourceSchema.Subject subject = source.subject();
        return subject == null
                ? new NoRegistry()
                : new RegistrySchemas(
                        new SchemaRegistry(subject.registry()),
                        source.text().language(),
                        subject.name(),
                        System::nanoTime,
                        Thread::sleep);
    }

    /** The schema of the table is the only one. */
    private static final class NoRegistry implements WriterSchemas {
        @Override
        public RegisteredSchema byId(int id) {
            throw new IllegalStateException("ids of schemas need a registry");
        }

        @Override
        public List<Integer> versions() {
            return List.of();
        }

        @Override
        public RegisteredSchema ofVersion(int version) {
            throw new IllegalStateException("versions of schemas need a registry");
        }
    }

    @Override
    public synchronized RegisteredSchema byId(int id) {
        RegisteredSchema schema = kept.get(id);
        if (schema == null) {
            schema = answered(() -> registry.byId(language, id));
            kept.put(id, schema);
        }
        return schema;
    }

    @Override
    public synchronized List<Integer> versions() {
        return answered(() -> registry.versions(subject));
    }

    @Override
    public synchronized RegisteredSchema ofVersion(int version) {
        return answered(() -> registry.ofSubject(language, subject, version));
    }

    private <T> T answered(Supplier<T> request) {
        long begun = nanos.getAsLong();
        long reported = begun - REPORTED_EVERY_NANOS;
        long pauseMs = FIRST_PAUSE_MS;
        while (true) {
            try {
                return request.get();
            } catch (RegistryAwayException e) {
                long now = nanos.getAsLong();
                if (now - begun >= WAITED_FOR_NANOS || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                if (now - reported >= REPORTED_EVERY_NANOS) {
                    LOG.warn("{}; waiting for it", e.getMessage());
                    reported = now;
                }
                sleep(pauseMs, e);
                pauseMs = Math.min(LAST_PAUSE_MS, 2 * pauseMs);
            }
        }
    }

    private void sleep(long ms, RegistryAwayException why) {
        try {
            pause.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw why;
        }
    }
}
