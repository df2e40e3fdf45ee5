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
 * The rules in force, and how they change: by a file, looked at every {@link #POLL}, by a control service, asked every {@link
 * #CONTROL_POLL} or so, and by people through {@link #change}. The latest edit wins, whoever made it, as a new version with an entry in
 * the audit trail.
 *
 * <p>What is in force is kept on disk, so that a restart with a broken or missing source goes on with it. An edit made through
 * {@link #change} survives a restart too, until a source is edited again.
 *
 * <p><b>Errors.</b> A source that is broken, half-written or gone changes nothing; {@link #problem} says why. A file that changes
 * while it is read takes effect once two looks find the same, so within 10 s; what a control service says, within 30 s.
 * <b>Threads.</b> Safe.
 */
public final class Registry {
    /** How often {@link #poll} is to be called. */
    public static final Duration POLL = Duration.ofSeconds(5);

    /** How often {@link #pollControl} is to be called: now and then a little earlier or later, so that not all ask at once. */
    public static final Duration CONTROL_POLL = Duration.ofSeconds(15);

    private final @Nullable Path file;
    private final @Nullable ControlService control;
    private final RegistryState state;
    private final Clock clock;
    private final Consumer<Rules> inForce;
    private final List<Change> trail;
    private RegistryState.Saved current;
    private @Nullable String seenText;
    private @Nullable String problem;
    /** Why nothing came from the control service the last time. */
    private @Nullable String controlAway;
    /** What is wrong with the last that came. */
    private @Nullable String controlBroken;
    /** Why a restart would lose what is in force. */
    private @Nullable String unkept;

    private Registry(
            Sources sources,
            RegistryState state,
            Clock clock,
            Consumer<Rules> inForce,
            List<Change> trail,
            RegistryState.Saved current) {
        this.file = sources.file();
        this.control = sources.control() == null ? null : new ControlService(sources.control());
        this.state = state;
        this.clock = clock;
        this.inForce = inForce;
        this.trail = trail;
        this.current = current;
    }

    /**
     * Opens a registry; the rules of the file, or those of before, are in force when this returns. The control service is asked by
     * {@link #pollControl} only: a start does not wait for it.
     *
     * @param inForce is told the rules now and after every change, one at a time
     */
    public static Registry open(Sources sources, Clock clock, Consumer<Rules> inForce) {
        Path folder = sources.folder();
        RegistryState state = new RegistryState(folder);
        RegistryState.Saved nothing = new RegistryState.Saved(0, "nobody", clock.instant(), Hashes.NONE, Rules.NONE);
        List<Change> trail = new ArrayList<>();
        String problem = null;
        RegistryState.Saved saved = null;
        try {
            trail.addAll(state.trail());
            saved = state.load();
        } catch (IOException | RuntimeException e) {
            problem = "the state in " + folder + " cannot be used and is made anew: " + e.getMessage();
        }
        Registry registry = new Registry(sources, state, clock, inForce, trail, saved == null ? nothing : saved);
        registry.problem = problem;
        registry.begin();
        return registry;
    }

    private synchronized void begin() {
        inForce.accept(current.rules());
        String text = read();
        seenText = text;
        if (text != null) {
            problem = judge(Source.FILE, String.valueOf(file), text);
        }
    }

    /** Looks at the file. */
    public synchronized void poll() {
        String text = read();
        if (text == null) {
            return;
        }
        // Twice the same: nobody is writing it. The first half of a file can be a valid document.
        boolean settled = text.equals(seenText);
        seenText = text;
        if (settled) {
            problem = judge(Source.FILE, String.valueOf(file), text);
        }
    }

    /** Asks the control service, if there is one; blocks for some seconds at most. To be called by one thread at a time. */
    public void pollControl() {
        if (control == null) {
            return;
        }
        String name = control.name();
        try {
            // Without the lock: nobody should wait for the network.
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
            problem = file + " is not there; version " + current.version() + " stays in force";
        } catch (IOException e) {
            problem =
                    file + " cannot be read (" + e.getMessage() + "); version " + current.version() + " stays in force";
        }
        return null;
    }

    /** Puts a document in force unless its source has said the same before; answers what is wrong with it. */
    private @Nullable String judge(Source source, String name, String text) {
        String hash = hash(text);
        Hashes before = current.hashes();
        if (hash.equals(before.of(source))) {
            return null;
        }
        try {
            replace(word(source), RulesYaml.parse(name, text), before.with(source, hash));
            return null;
        } catch (RulesException e) {
            return e.getMessage() + "\nversion " + current.version() + " stays in force";
        }
    }

    /**
     * Changes the rules, at once.
     *
     * @param expected the version that the author has seen
     * @param author for the audit trail
     * @return the new version, or the same if nothing changed
     * @throws ConflictException if another version is in force by now
     */
    public synchronized long change(long expected, String author, UnaryOperator<Rules> edit) {
        if (expected != current.version()) {
            throw new ConflictException(expected, current.version(), current.author());
        }
        Rules changed = edit.apply(current.rules());
        // People may build what no file could say; what cannot be read back must not be kept.
        Rules readable = RulesYaml.parse("the change of " + author, RulesYaml.write(changed));
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
            unkept = null;
        } catch (UncheckedIOException e) {
            unkept = e.getMessage() + "; version " + current.version() + " is in force, but a restart would lose it";
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
        flatten("", RulesYaml.tree(rules), flat);
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

    /** What is in force, all of one moment: what a change begins with. */
    public synchronized InForce inForce() {
        return new InForce(current.version(), current.author(), current.since(), current.rules());
    }

    /** The rules in force. */
    public synchronized Rules rules() {
        return current.rules();
    }

    /** Their version; 0 if nobody has ever said anything. */
    public synchronized long version() {
        return current.version();
    }

    /** How long they have been in force. */
    public synchronized Duration age() {
        return Duration.between(current.since(), clock.instant());
    }

    /** Why a source, or the kept state, is not in force; empty if all is well. */
    public synchronized Optional<String> problem() {
        String all = Stream.of(problem, controlAway, controlBroken, unkept)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("\n"));
        return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }

    /** The changes so far, the oldest first; the last thousand at most. */
    public synchronized List<Change> trail() {
        return List.copyOf(trail);
    }
}
