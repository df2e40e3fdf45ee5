package io.thalweg.server.versions;

import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps track of the version that each name refers to. The mapping is in the store, so all servers of a store agree within
 * {@value #LOOK_MS} ms, and it survives restarts.
 *
 * <p>A replacement waits until the watermark of the new version has reached that of the present one. A view has no watermark
 * before its largest window is covered, so by then the rows of the new version are as complete as those of the present one. The
 * first server that sees this writes the switch into the store.
 *
 * <p><b>Threads.</b> Safe. A thread of its own polls the store. While the store is unavailable, names keep their versions.
 */
public final class Aliases implements AutoCloseable {
    static final int LOOK_MS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(Aliases.class);
    private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ServedViews views;
    private final OnlineStore store;
    private final Switching switching;
    /** The versions that names are waiting for, by name. */
    private final Map<String, FeatureView> awaited = new ConcurrentHashMap<>();

    private final Map<String, Reported> reported = new HashMap<>();
    private final Set<String> unserved = new HashSet<>();
    private final ScheduledExecutorService looks =
            Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "thalweg-aliases"));
    private boolean storeIsAway;

    private record Reported(String words, long nanos) {}

    private Aliases(ServedViews views, OnlineStore store, Switching switching) {
        this.views = views;
        this.store = store;
        this.switching = switching;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Reads the mapping from the store, begins the requested switch, and polls the store from then on.
     *
     * @throws VersionConflictException if the versions cannot be served as requested
     * @throws StoreException if the store fails
     */
    public static Aliases start(ServedViews views, OnlineStore store, Switching switching) {
        Aliases aliases = new Aliases(views, store, switching);
        try {
            aliases.begin();
        } catch (VersionConflictException | StoreException e) {
            aliases.close();
            throw e;
        }
        var unused = aliases.looks.scheduleWithFixedDelay(aliases::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        return aliases;
    }

    private List<String> names() {
        return views.all().stream().map(FeatureView::name).distinct().toList();
    }

    private void begin() {
        boolean begun = false;
        for (String name : names()) {
            Optional<String> alias = store.alias(name);
            if (switching.mode() == Switching.Mode.ABORT) {
                begun |= alias.isPresent() && goBack(name, alias.get());
                continue;
            }
            alias.ifPresent(view -> views.switchTo(served(name, view)));
            begun |= switching.mode() == Switching.Mode.REPLACE && await(name);
        }
        if (!begun && switching.mode() == Switching.Mode.REPLACE) {
            throw new VersionConflictException(
                    "--replace needs two versions of a view, such as demand and demand_v2; name both, or leave it out");
        }
        if (!begun && switching.mode() == Switching.Mode.ABORT) {
            switching.report().accept("nothing to abort: no name of these views was switched");
        }
    }

    private FeatureView served(String name, String view) {
        return views.byQualifiedName(view)
                .orElseThrow(() -> new VersionConflictException(
                        "reads of %s get %s, which is not among the views; add %s, or go back to %s with --abort"
                                .formatted(name, view, view, latest(name).qualifiedName())));
    }

    private FeatureView latest(String name) {
        List<FeatureView> versions = views.versions(name);
        return versions.get(versions.size() - 1);
    }

    /** Switches back to the latest version before the present one. */
    private boolean goBack(String name, String present) {
        int version = version(name, present);
        List<FeatureView> earlier = views.versions(name).stream()
                .filter(view -> view.version() < version)
                .toList();
        if (earlier.isEmpty()) {
            if (version == 1) {
                return false;
            }
            throw new VersionConflictException(
                    "--abort: reads of %s get %s, and no earlier version is among the views; add it"
                            .formatted(name, present));
        }
        FeatureView back = earlier.get(earlier.size() - 1);
        store.setAlias(name, back.qualifiedName());
        views.switchTo(back);
        switching.report().accept("reads of %s get %s again".formatted(name, back.qualifiedName()));
        return true;
    }

    private static int version(String name, String view) {
        return view.equals(name) ? 1 : Integer.parseInt(view.substring(name.length() + "_v".length()));
    }

    private boolean await(String name) {
        List<FeatureView> versions = views.versions(name);
        if (versions.size() < 2) {
            return false;
        }
        FeatureView present = views.find(name).orElse(versions.get(0));
        FeatureView next = latest(name);
        if (present.equals(next)) {
            switching.report().accept("reads of %s get %s already".formatted(name, next.qualifiedName()));
            return true;
        }
        Replacement.require(present, next);
        views.switchTo(present); // needed if version 1 is not among the views
        awaited.put(name, next);
        switching
                .report()
                .accept("reads of %s get %s until %s has caught up"
                        .formatted(name, present.qualifiedName(), next.qualifiedName()));
        return true;
    }

    /** Whether reads will get this version, but do not get it yet. */
    public boolean isAwaited(FeatureView view) {
        return view.equals(awaited.get(view.name()));
    }

    /** The version that reads of a name will get once it has caught up; empty if there is none. */
    public Optional<FeatureView> awaited(String name) {
        return Optional.ofNullable(awaited.get(name));
    }

    private void look() {
        try {
            for (String name : names()) {
                follow(name);
                FeatureView next = awaited.get(name);
                if (next != null) {
                    switchIfReady(next);
                }
            }
            storeIsAway = false;
        } catch (StoreException e) {
            if (!storeIsAway) {
                LOG.warn(
                        "cannot read from the store which versions of views are served; they stay: {}", e.getMessage());
            }
            storeIsAway = true;
        } catch (RuntimeException e) {
            LOG.error("looking for switched versions of views failed; it is tried again", e);
        }
    }

    /** Applies a switch that another process made. Reads it under the lock: a view read before a switch here would undo that. */
    private synchronized void follow(String name) {
        store.alias(name).ifPresent(view -> follow(name, view));
    }

    private void follow(String name, String view) {
        Optional<FeatureView> version = views.byQualifiedName(view);
        if (version.isEmpty()) {
            if (unserved.add(view)) {
                LOG.warn(
                        "reads of {} get {} elsewhere, which this server does not have; they get {} here until it is restarted with {}",
                        name,
                        view,
                        views.find(name).map(FeatureView::qualifiedName).orElse("nothing"),
                        view);
            }
            return;
        }
        if (!version.equals(views.find(name))) {
            done(version.get());
        }
    }

    private synchronized void switchIfReady(FeatureView next) {
        if (!isAwaited(next)) {
            return;
        }
        FeatureView present = views.get(next.name());
        Optional<String> behind = behind(present, next);
        if (behind.isEmpty()) {
            store.setAlias(next.name(), next.qualifiedName());
            done(next);
            return;
        }
        report(next.name(), behind.get());
    }

    /** Reports a line once, and again every minute while only its numbers change. */
    private void report(String name, String line) {
        Reported before = reported.get(name);
        String words = line.replaceAll("\\d+", "");
        long now = System.nanoTime();
        if (before == null || !before.words().equals(words) || now - before.nanos() > REPORT_NANOS) {
            reported.put(name, new Reported(words, now));
            switching.report().accept(line);
        }
    }

    /** Describes how far a version is behind the present one; empty if it has caught up. */
    private Optional<String> behind(FeatureView present, FeatureView next) {
        OptionalLong reached = store.watermark(next.qualifiedName());
        OptionalLong wanted = store.watermark(present.qualifiedName());
        if (reached.isEmpty()) {
            return Optional.of("%s has no rows yet; its first are emitted when its largest window is covered"
                    .formatted(next.qualifiedName()));
        }
        long behindMs = wanted.orElse(Long.MIN_VALUE) - reached.getAsLong();
        return wanted.isEmpty() || behindMs <= 0
                ? Optional.empty()
                : Optional.of("%s is %d s behind %s"
                        .formatted(
                                next.qualifiedName(),
                                Duration.ofMillis(behindMs).toSeconds(),
                                present.qualifiedName()));
    }

    private void done(FeatureView version) {
        views.switchTo(version);
        awaited.remove(version.name());
        switching.report().accept("reads of %s get %s from now on".formatted(version.name(), version.qualifiedName()));
    }

    /**
     * Switches a name at once.
     *
     * @param force also to a version that has not caught up
     * @throws RefusedRequestException if this server does not have such a version, or it has not caught up
     */
    public synchronized FeatureView set(String name, String view, boolean force) {
        FeatureView present = views.get(name);
        FeatureView next = views.byQualifiedName(view)
                .or(() -> views.find(view))
                .filter(version -> version.name().equals(present.name()))
                .orElseThrow(() -> RefusedRequestException.invalid("view: must be one of "
                        + views.versions(present.name()).stream()
                                .map(FeatureView::qualifiedName)
                                .toList()
                        + ", was " + view));
        try {
            Replacement.require(present, next);
        } catch (VersionConflictException e) {
            if (next.version() > present.version()) {
                throw new RefusedRequestException(Code.ABORTED, String.valueOf(e.getMessage()));
            }
            // The earlier version lacks features of the later one. Going back is for when the later one is in trouble.
        }
        if (!force) {
            behind(present, next).ifPresent(behind -> {
                throw new RefusedRequestException(
                        Code.ABORTED, behind + "; wait, or switch in spite of that with force");
            });
        }
        store.setAlias(next.name(), next.qualifiedName());
        done(next);
        return present;
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
