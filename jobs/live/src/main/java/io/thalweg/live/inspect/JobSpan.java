package io.thalweg.live.inspect;

import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.live.inspect.JobState.ThreadTime;
import io.thalweg.live.inspect.JobState.Work;
import io.thalweg.live.inspect.JobState.Worker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a job did while it was observed. Shares are from 0 to 1.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class JobSpan {
    private final List<JobState> states;

    /**
     * Creates the span between the first and the last of some states.
     *
     * @param states of one job, at least two, oldest first
     */
    public JobSpan(List<JobState> states) {
        if (states.size() < 2) {
            throw new IllegalArgumentException("a span needs at least 2 states, were " + states.size());
        }
        this.states = List.copyOf(states);
    }

    /**
     * How a stage spent its time.
     *
     * @param inputs ids of the stages that send to it
     * @param isReader whether it reads the source
     * @param work what its operators counted meanwhile
     */
    public record StageLoad(
            String id, String name, List<String> inputs, boolean isReader, List<SubtaskLoad> subtasks, Work work) {
        /** Separates operators; where data divides, Flink puts the branches into parentheses. */
        private static final Pattern OPERATORS = Pattern.compile(" -> |, |[()]");

        private static final int SHOWN = 3;

        private StageLoad behind(StageLoad fetching) {
            return new StageLoad(id, name, List.of(fetching.id), isReader, subtasks, work);
        }

        private List<String> operators() {
            return Stream.of(OPERATORS.split(name))
                    .map(operator -> operator.replaceAll("^Source: |: (Writer|Committer)$", ""))
                    .filter(operator -> !operator.isEmpty())
                    .distinct()
                    .toList();
        }

        String firstOperator() {
            return operators().get(0);
        }

        /** Whether the stage computes a view with rings, whose work is divided by places. */
        boolean hasHexagons() {
            return operators().stream()
                    .anyMatch(operator -> operator.startsWith("accumulate ") || operator.startsWith("assemble "));
        }

        /** Its first and last operators, for messages. */
        public String label() {
            List<String> operators = operators();
            int last = operators.size() - 1;
            return last < SHOWN ? String.join(" → ", operators) : operators.get(0) + " → … → " + operators.get(last);
        }

        /** The busy share of its busiest subtask. */
        public double busiest() {
            return subtasks.stream().mapToDouble(SubtaskLoad::busy).max().orElse(0);
        }

        /** The sum over all its subtasks: the number of threads that it keeps busy. */
        public double busyThreads() {
            return subtasks.stream().mapToDouble(SubtaskLoad::busy).sum();
        }

        /** The processors that its threads have; 0 if that is unknown. */
        public double computing() {
            return subtasks.stream().mapToDouble(SubtaskLoad::computes).sum();
        }

        /** The part of the time in which its threads had work but no processor. */
        public double starved() {
            return starved(subtasks);
        }

        private static double starved(List<SubtaskLoad> subtasks) {
            double starves = subtasks.stream().mapToDouble(SubtaskLoad::starves).sum();
            double computes =
                    subtasks.stream().mapToDouble(SubtaskLoad::computes).sum();
            return computes == 0 ? 0 : starves / (computes + starves);
        }

        /** The back-pressured share of its most delayed subtask. */
        public double backPressured() {
            return subtasks.stream()
                    .mapToDouble(SubtaskLoad::backPressured)
                    .max()
                    .orElse(0);
        }

        /** The mean busy share of all subtasks but the busiest; 1 if there are no others. */
        double busyOthers() {
            return subtasks.size() < 2 ? 1 : (busyThreads() - busiest()) / (subtasks.size() - 1);
        }
    }

    /**
     * How a subtask spent its time, in shares, and what it received and sent.
     *
     * @param computes its thread had a processor; 0 if that is unknown. A thread also computes for some of its idle time
     * @param starves its thread had work and no processor
     */
    public record SubtaskLoad(
            double busy,
            double backPressured,
            double idle,
            long recordsIn,
            long recordsOut,
            double computes,
            double starves) {}

    private JobState first() {
        return states.get(0);
    }

    private JobState last() {
        return states.get(states.size() - 1);
    }

    /** The name of the job. */
    public String name() {
        return last().name();
    }

    /** The duration of the observation. */
    public double seconds() {
        return Math.max(1, last().atMs() - first().atMs()) / 1e3;
    }

    /** Whether Flink has reported what tasks did meanwhile; if not, the span is shorter than Flink's update interval for metrics. */
    public boolean isMeasured() {
        return stages().stream()
                .flatMap(stage -> stage.subtasks().stream())
                .anyMatch(subtask -> subtask.busy() + subtask.backPressured() + subtask.idle() > 0);
    }

    /** Restarts of the job meanwhile; if there were any, other figures mean little. */
    public long restarts() {
        return last().restarts() - first().restarts();
    }

    /** Returns its stages, in the order of the data; the threads that fetch for a stage form a stage before it. */
    public List<StageLoad> stages() {
        List<StageLoad> loads = new ArrayList<>();
        for (Stage stage : last().stages()) {
            Stage before = before(stage);
            StageLoad load = load(stage, before);
            if (stage.subtasks().stream().anyMatch(subtask -> subtask.fetcher().cpuMs() > 0)) {
                StageLoad fetching = fetching(stage, before, load);
                loads.add(fetching);
                load = load.behind(fetching);
            }
            loads.add(load);
        }
        return loads;
    }

    private Stage before(Stage stage) {
        return first().stages().stream()
                .filter(before -> before.id().equals(stage.id())
                        && before.subtasks().size() == stage.subtasks().size())
                .findFirst()
                .orElse(new Stage(
                        stage.id(),
                        stage.name(),
                        Collections.nCopies(stage.subtasks().size(), new Subtask(0, 0, 0, 0, 0))));
    }

    private static StageLoad load(Stage stage, Stage before) {
        List<SubtaskLoad> subtasks = new ArrayList<>();
        for (int i = 0; i < stage.subtasks().size(); i++) {
            subtasks.add(load(before.subtasks().get(i), stage.subtasks().get(i)));
        }
        boolean isReader = stage.subtasks().stream().allMatch(subtask -> subtask.recordsIn() == 0);
        return new StageLoad(
                stage.id(),
                stage.name(),
                stage.inputs(),
                isReader,
                subtasks,
                stage.work().since(before.work()));
    }

    /**
     * Derives the load of fetching threads. They have work, or wait for the broker or for room; only the first of these
     * is known.
     */
    private StageLoad fetching(Stage stage, Stage before, StageLoad reader) {
        List<SubtaskLoad> threads = new ArrayList<>();
        for (int i = 0; i < stage.subtasks().size(); i++) {
            ThreadTime then = before.subtasks().get(i).fetcher();
            ThreadTime now = stage.subtasks().get(i).fetcher();
            double computes = Math.min(1, (now.cpuMs() - then.cpuMs()) / 1e3 / seconds());
            double starves = Math.min(1 - computes, (now.waitedMs() - then.waitedMs()) / 1e3 / seconds());
            long recordsOut = reader.subtasks().get(i).recordsOut();
            double busy = computes + starves;
            threads.add(new SubtaskLoad(busy, 0, 1 - busy, 0, recordsOut, computes, starves));
        }
        return new StageLoad(
                stage.id() + "-fetch",
                "Kafka thread of " + reader.firstOperator(),
                List.of(),
                true,
                threads,
                Work.NONE);
    }

    private static SubtaskLoad load(Subtask before, Subtask after) {
        // Flink counts time as busy until it knows better, so a total may decrease.
        double busy = Math.max(0, after.busyMs() - before.busyMs());
        double backPressured = Math.max(0, after.backPressuredMs() - before.backPressuredMs());
        double idle = Math.max(0, after.idleMs() - before.idleMs());
        double all = Math.max(1, busy + backPressured + idle);
        return new SubtaskLoad(
                busy / all,
                backPressured / all,
                idle / all,
                after.recordsIn() - before.recordsIn(),
                after.recordsOut() - before.recordsOut(),
                Math.max(0, after.task().cpuMs() - before.task().cpuMs()) / all,
                Math.max(0, after.task().waitedMs() - before.task().waitedMs()) / all);
    }

    /** The processors that its processes kept busy, including all their other work. */
    public double cores() {
        return grown(Worker::cpuMs) / 1e3 / seconds();
    }

    /** The part of the time in which its tasks could compute but had no processor, because others used them. */
    public double starved() {
        List<SubtaskLoad> all =
                stages().stream().flatMap(stage -> stage.subtasks().stream()).toList();
        return StageLoad.starved(all);
    }

    /**
     * The part of the time in which its tasks were busy but had no processor. It is less than {@link #starved} if they wait for
     * something outside of the process, which other processes do not slow down.
     */
    public double starvedWhileBusy() {
        double busy = 0;
        double starves = 0;
        for (StageLoad stage : stages()) {
            for (SubtaskLoad subtask : stage.subtasks()) {
                busy += Math.max(subtask.busy(), subtask.computes() + subtask.starves());
                starves += subtask.starves();
            }
        }
        return busy == 0 ? 0 : starves / busy;
    }

    /** The processors of the machines that its processes run on; a machine counts once for each process. */
    public int processors() {
        return last().processes().stream().mapToInt(Worker::processors).sum();
    }

    /** The largest share of its time that a process spent on collecting garbage. */
    public double gcShare() {
        double most = 0;
        for (Worker worker : last().processes()) {
            most = Math.max(most, (worker.gcMs() - before(worker).gcMs()) / 1e3 / seconds());
        }
        return most;
    }

    /** The part of its heap that the fullest process always used: roughly its live objects. */
    public double heapAlwaysUsed() {
        return last().processes().stream()
                .mapToDouble(worker -> states.stream()
                        .flatMap(state -> state.processes().stream())
                        .filter(at -> at.id().equals(worker.id()))
                        .mapToDouble(at -> (double) at.heapUsed() / Math.max(1, at.heapMax()))
                        .min()
                        .orElse(0))
                .max()
                .orElse(0);
    }

    /** The heap of its largest process, bytes. */
    public long heapMax() {
        return last().processes().stream()
                .max(Comparator.comparingLong(Worker::heapMax))
                .map(Worker::heapMax)
                .orElse(0L);
    }

    private long grown(ToLongFunction<Worker> figure) {
        return last().processes().stream()
                .mapToLong(worker -> figure.applyAsLong(worker) - figure.applyAsLong(before(worker)))
                .sum();
    }

    private Worker before(Worker worker) {
        return first().processes().stream()
                .filter(then -> then.id().equals(worker.id()))
                .findFirst()
                .orElse(new Worker(worker.id(), worker.processors(), 0, 0, 0, 0));
    }

    /** The configured time between checkpoints, ms; 0 = no checkpoints. */
    public long checkpointEveryMs() {
        return last().checkpoints().everyMs();
    }

    /** Checkpoints that completed meanwhile. */
    public long checkpoints() {
        return last().checkpoints().completed() - first().checkpoints().completed();
    }

    /** The mean duration of such a checkpoint, ms; 0 if there was none. */
    public double checkpointMs() {
        return checkpoints() == 0
                ? 0
                : (double) (last().checkpoints().durationMs()
                                - first().checkpoints().durationMs())
                        / checkpoints();
    }
}
