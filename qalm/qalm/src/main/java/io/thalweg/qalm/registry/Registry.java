package io.thalweg.qalm.registry;

import io.thalweg.qalm.registry.Hashes.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force. They are edited by a file, polled every {@link #POLL}, by a control service, polled about every {@link
 * #CONTROL_POLL}, and by operators through {@link #change}. The latest edit takes effect, whatever its source, as a new version
 * with an entry in the audit trail.
 *
 * <p>The rules in force are saved, so that a process that restarts keeps them even if a source is broken or missing. An edit made
 * through {@link #change} also survives a restart, until a source is edited again.
 *
 * <p><b>Errors.</b> A source that is broken, half-written or missing changes nothing; {@link #problem} reports why. An edit of
 * the file takes effect once two polls read the same text, within 10 s; an edit of the control service within 30 s.
 * <b>Threads.</b> Safe.
 */
public final class Registry {
    /** The period at which to call {@link #poll}. */
    public static final Duration POLL = Duration.ofSeconds(5);

    /** The mean period at which to call {@link #pollControl}; vary it, so that processes do not poll at the same time. */
    public static final Duration CONTROL_POLL = Duration.ofSeconds(15);

    private final Notation notation;
    private final @Nullable Path file;
    private final @Nullable ControlService control;
    private final RegistryState state;
    private final Clock clock;
    private final Consumer<Rules> inForce;
    private final List<Change> trail;
    private RegistryState.Saved current;
    private @Nullable String seenText;
    private @Nullable String problem;
    /** Why the last poll of the control service failed. */
    private @Nullable String controlAway;
    /** The problems of the last document of the control service. */
    private @Nullable String controlBroken;
    /** Why the rules in force could not be saved. */
    private @Nullable String unsaved;

    private Registry(
            Sources sources,
            RegistryState state,
            Clock clock,
            Consumer<Rules> inForce,
            List<Change> trail,
            RegistryState.Saved current) {
        this.notation = sources.notation();
        this.file = sources.file();
        this.control = sources.control() == null ? null : new ControlService(sources.control());
        this.state = state;
        this.clock = clock;
        this.inForce = inForce;
        this.trail = trail;
        this.current = current;
    }

    /**
     * Opens a registry. On return the saved rules are in force, or those of the file if it is valid and has changed since they
     * were saved. It does not wait for the control service, which only {@link #pollControl} reads.
     *
     * @param inForce receives the rules now and after every change, one call at a time
     */
    public static Registry open(Sources sources, Clock clock, Consumer<Rules> inForce) {
        Path folder = sources.folder();
        RegistryState state = new RegistryState(sources.notation(), folder);
        RegistryState.Saved empty = new RegistryState.Saved(0, "nobody", clock.instant(), Hashes.NONE, Rules.NONE);
        List<Change> trail = new ArrayList<>();
        String problem = null;
        RegistryState.Saved saved = null;
        try {
            trail.addAll(state.trail());
            saved = state.load();
        } catch (IOException | RuntimeException e) {
            problem = "cannot read the saved rules in " + folder + ", starting without them: " + e.getMessage();
        }
        Registry registry = new Registry(sources, state, clock, inForce, trail, saved == null ? empty : saved);
        registry.problem = problem;
        registry.start();
        return registry;
    }

    private synchronized void start() {
        inForce.accept(current.rules());
        String text = read();
        seenText = text;
        if (text != null) {
            problem = judge(Source.FILE, String.valueOf(file), text);
        }
    }

    /** Reads the file. */
    public synchronized void poll() {
        String text = read();
        if (text == null) {
            return;
        }
        // The same text twice means that no write is in progress. The first half of a file can be a valid document.
        boolean settled = text.equals(seenText);
        seenText = text;
        if (settled) {
            problem = judge(Source.FILE, String.valueOf(file), text);
        }
    }

    /** Reads the control service, if there is one. Blocks for 5 s at most. One thread at a time. */
    public void pollControl() {
        if (control == null) {
            return;
        }
        String name = control.name();
        try {
            // The lock must not be held during a network call.
            String text = control.fetch();
            answered(name, text);
        } catch (IOException e) {
            away(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void answered(String name, @Nullable String text) {
        controlAway = null;
        if (text != null) {
            controlBroken = judge(Source.CONTROL, name, text);
        }
    }

    private synchronized void away(IOException reason) {
        controlAway = reason.getMessage() + "; version " + current.version() + " stays in force";
    }

    private @Nullable String read() {
        if (file == null) {
            return null;
        }
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            problem = file + " does not exist; version " + current.version() + " stays in force";
        } catch (IOException e) {
            problem = "cannot read " + file + " (" + e.getMessage() + "); version " + current.version()
                    + " stays in force";
        }
        return null;
    }

    /** Puts a document in force unless its source supplied the same one before; returns its problems, or null if there are none. */
    private @Nullable String judge(Source source, String name, String text) {
        String hash = hash(text);
        Hashes before = current.hashes();
        if (hash.equals(before.of(source))) {
            return null;
        }
        try {
            replace(word(source), RulesTree.parse(notation, name, text), before.with(source, hash));
            return null;
        } catch (RulesException e) {
            return e.getMessage() + "\nversion " + current.version() + " stays in force";
        }
    }

    /**
     * Edits the rules; takes effect at once.
     *
     * @param expected the version that the author read
     * @param author for the audit trail
     * @return the new version, or the same one if nothing changed
     * @throws ConflictException if another version is in force
     * @throws RulesException if a document cannot express the edited rules
     */
    public synchronized long change(long expected, String author, UnaryOperator<Rules> edit) {
        if (expected != current.version()) {
            throw new ConflictException(expected, current.version(), current.author());
        }
        Rules changed = edit.apply(current.rules());
        // Code can build rules that no document can express. Rules that cannot be read back must not be saved.
        Rules readable = RulesTree.parse(notation, "the change of " + author, notation.write(RulesTree.of(changed)));
        if (!readable.equals(current.rules())) {
            replace(author, readable, current.hashes());
        }
        return current.version();
    }

    private void replace(String author, Rules rules, Hashes hashes) {
        List<String> details = differences(current.rules(), rules);
        Instant now = clock.instant();
        long version = current.version() + (details.isEmpty() ? 0 : 1);
        current = new RegistryState.Saved(version, author, now, hashes, rules);
        inForce.accept(rules);
        Change change = new Change(version, now, author, details);
        if (!details.isEmpty()) {
            trail.add(change);
        }
        if (trail.size() > RegistryState.TRAIL_MAX) {
            trail.remove(0);
        }
        keep(change);
    }

    private void keep(Change change) {
        try {
            state.save(current);
            if (!change.details().isEmpty()) {
                state.append(change);
            }
            unsaved = null;
        } catch (UncheckedIOException e) {
            unsaved = e.getMessage() + "; version " + current.version() + " is in force, but a restart loses it";
        }
    }

    private static List<String> differences(Rules before, Rules after) {
        Map<String, String> left = flat(before);
        Map<String, String> right = flat(after);
        TreeSet<String> paths = new TreeSet<>(left.keySet());
        paths.addAll(right.keySet());
        return paths.stream()
                .filter(path -> !Objects.equals(left.get(path), right.get(path)))
                .map(path -> path + ": " + left.getOrDefault(path, "–") + " → " + right.getOrDefault(path, "–"))
                .toList();
    }

    private static Map<String, String> flat(Rules rules) {
        Map<String, String> flat = new TreeMap<>();
        flatten("", RulesTree.of(rules), flat);
        return flat;
    }

    private static void flatten(String path, Object value, Map<String, String> flat) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, child) -> flatten(path.isEmpty() ? key + "" : path + "." + key, child, flat));
        } else {
            flat.put(path, value.toString());
        }
    }

    private static String word(Source source) {
        return source.name().toLowerCase(Locale.ROOT);
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The rules in force with their version, read together. */
    public synchronized InForce inForce() {
        return new InForce(current.version(), current.author(), current.since(), current.rules());
    }

    /** The rules in force. */
    public synchronized Rules rules() {
        return current.rules();
    }

    /** The version of the rules in force; 0 until the first edit. */
    public synchronized long version() {
        return current.version();
    }

    /** How long the rules have been in force. */
    public synchronized Duration age() {
        return Duration.between(current.since(), clock.instant());
    }

    /** Why a source is not in force or the rules are not saved; empty if there is no problem. */
    public synchronized Optional<String> problem() {
        String all = Stream.of(problem, controlAway, controlBroken, unsaved)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("\n"));
        return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }

    /** The last changes, oldest first; at most a thousand. */
    public synchronized List<Change> trail() {
        return List.copyOf(trail);
    }
}
