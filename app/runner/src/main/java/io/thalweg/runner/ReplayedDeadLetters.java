package io.thalweg.runner;

import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.model.ingest.Ingest;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The letters of a replay, read once and kept in a folder until it is over, so that an interrupted replay resumes with the same
 * ones.
 *
 * @param folder contains the letters that are replayed, those that are left, and those of messages that failed again
 * @param plan what was read, and what {@link DeadLetterSource#finish} needs to know
 */
record ReplayedDeadLetters(Path folder, Properties plan) {
    private static final String PLAN = "plan.properties";
    private static final String WHAT = "what";

    /** Why a letter is left. */
    enum Left {
        /** The options do not select it. */
        UNSELECTED,
        /** It is of another ingest, or not a letter. */
        FOREIGN,
        /** Its message can only be read from its file. */
        NEEDS_ITS_FILE,
        /**
         * Its bytes were cut off, and cannot be fetched again: the topic does not contain the record any more, or the message
         * came from a file.
         */
        CUT_OFF;

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Where a message comes from. */
    private record Origin(
            String source,
            int partition,
            long offset,
            @Nullable String messageId,
            long index) {}

    Path selected() {
        return folder.resolve("selected.jsonl");
    }

    Path left() {
        return folder.resolve("left.jsonl");
    }

    Path failed() {
        return folder.resolve("failed.jsonl");
    }

    /** What was requested when the letters were read. */
    String what() {
        return plan.getProperty(WHAT, "");
    }

    long count(String name) {
        return Long.parseLong(plan.getProperty(name, "0"));
    }

    /** The counts in one line. */
    String line(String ingest) {
        StringBuilder line = new StringBuilder("%s: letters=%d selected=%d repeated=%d"
                .formatted(ingest, count("letters"), count("selected"), count("repeated")));
        for (Left why : Left.values()) {
            line.append(' ').append(why.text()).append('=').append(count(why.text()));
        }
        return line.toString();
    }

    /** The letters of an earlier start; null if there are none. */
    static @Nullable ReplayedDeadLetters of(Path folder) throws IOException {
        Path file = folder.resolve(PLAN);
        if (!Files.isRegularFile(file)) {
            return null;
        }
        Properties plan = new Properties();
        try (var in = Files.newBufferedReader(file)) {
            plan.load(in);
        }
        return new ReplayedDeadLetters(folder, plan);
    }

    /**
     * Reads the letters and decides which to replay.
     *
     * @param what identifies this replay
     * @param records fetches messages again that were cut off; null = none can be fetched
     */
    static ReplayedDeadLetters read(
            Path folder,
            String what,
            Ingest ingest,
            DeadLetterSource source,
            DeadLetterSelection selection,
            DeadLetterTopic.@Nullable Records records)
            throws IOException {
        Files.createDirectories(folder);
        Properties plan = new Properties();
        plan.setProperty(WHAT, what);
        ReplayedDeadLetters letters = new ReplayedDeadLetters(folder, plan);
        Files.deleteIfExists(letters.failed());
        try (OutputStream selected = new BufferedOutputStream(Files.newOutputStream(letters.selected()));
                OutputStream left = new BufferedOutputStream(Files.newOutputStream(letters.left()))) {
            Sorting sorting = new Sorting(ingest, selection, records, source.isOwn(), selected, left);
            source.read(plan, sorting::take);
            sorting.count(plan);
        }
        Path partial = folder.resolve(PLAN + ".part");
        try (var out = Files.newBufferedWriter(partial)) {
            plan.store(out, null);
        }
        Files.move(partial, folder.resolve(PLAN), StandardCopyOption.ATOMIC_MOVE);
        return letters;
    }

    private static final class Sorting {
        private final String ingest;
        /** Whether rows go to a topic, with the key, time and headers of their records. */
        private final boolean toTopic;

        private final @Nullable String codecHeader;
        private final DeadLetterSelection selection;
        private final DeadLetterTopic.@Nullable Records records;
        private final boolean keepsForeign;
        private final OutputStream selected;
        private final OutputStream left;
        private final Set<Origin> origins = new HashSet<>();
        private final Map<Left, Long> counts = new EnumMap<>(Left.class);
        private long all;
        private long repeated;
        private long replayed;

        Sorting(
                Ingest ingest,
                DeadLetterSelection selection,
                DeadLetterTopic.@Nullable Records records,
                boolean keepsForeign,
                OutputStream selected,
                OutputStream left) {
            this.ingest = ingest.qualifiedName();
            toTopic = ingest.sink() instanceof Ingest.TopicSink;
            codecHeader = ingest.input().envelope().codecHeader();
            this.keepsForeign = keepsForeign;
            this.selection = selection;
            this.records = records;
            this.selected = selected;
            this.left = left;
        }

        void take(byte[] data, int from, int length) throws IOException {
            all++;
            SavedDeadLetter letter = SavedDeadLetter.parse(data, from, length);
            if (letter == null || !letter.ingest().equals(ingest)) {
                leave(Left.FOREIGN, data, from, length);
            } else if (origins.contains(origin(letter))) {
                repeated++; // even beyond the limit: if it were left, the next replay would repeat it
            } else if (!selection.matches(letter) || replayed >= selection.limit()) {
                leave(Left.UNSELECTED, data, from, length);
            } else if (!letter.isReplayable()) {
                leave(Left.NEEDS_ITS_FILE, data, from, length);
            } else if (letter.hasMessage() && (letter.hasAttributes() || !toTopic)) {
                select(letter, data, from, length);
            } else {
                takeCutOff(letter, data, from, length);
            }
        }

        private void takeCutOff(SavedDeadLetter letter, byte[] data, int from, int length) throws IOException {
            ConsumerRecord<byte[], byte[]> record = fetch(letter);
            if (record == null) {
                leave(Left.CUT_OFF, data, from, length);
            } else {
                byte[] whole = letter.fetched(record, codecHeader).toJson();
                select(letter, whole, 0, whole.length);
            }
        }

        private void select(SavedDeadLetter letter, byte[] data, int from, int length) throws IOException {
            origins.add(origin(letter));
            replayed++;
            selected.write(data, from, length);
            selected.write('\n');
        }

        private void leave(Left why, byte[] data, int from, int length) throws IOException {
            counts.merge(why, 1L, Long::sum);
            if (why != Left.FOREIGN || keepsForeign) {
                left.write(data, from, length);
                left.write('\n');
            }
        }

        private static Origin origin(SavedDeadLetter letter) {
            return new Origin(letter.source(), letter.partition(), letter.offset(), letter.messageId(), letter.index());
        }

        private @Nullable ConsumerRecord<byte[], byte[]> fetch(SavedDeadLetter letter) {
            return records == null || letter.partition() < 0
                    ? null
                    : records.fetch(letter.source(), letter.partition(), letter.offset());
        }

        void count(Properties plan) {
            plan.setProperty("letters", String.valueOf(all));
            plan.setProperty("selected", String.valueOf(replayed));
            plan.setProperty("repeated", String.valueOf(repeated));
            counts.forEach((why, count) -> plan.setProperty(why.text(), String.valueOf(count)));
        }
    }

    /** Adds the letters of messages that failed again to those that are left, each once; returns how many are left. */
    long close() throws IOException {
        Set<Origin> origins = new HashSet<>();
        long[] count = {0};
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(all()))) {
            DeadLetterFile.lines(left(), (data, from, length) -> {
                out.write(data, from, length);
                out.write('\n');
                count[0]++;
            });
            if (Files.exists(failed())) {
                DeadLetterFile.lines(failed(), (data, from, length) -> {
                    SavedDeadLetter letter = SavedDeadLetter.parse(data, from, length);
                    if (letter != null && origins.add(Sorting.origin(letter))) {
                        out.write(data, from, length);
                        out.write('\n');
                        count[0]++;
                    }
                });
            }
        }
        return count[0];
    }

    /** Removes the letters of a replay that is over. */
    static void delete(Path folder) throws IOException {
        ReplayedDeadLetters letters = new ReplayedDeadLetters(folder, new Properties());
        for (Path file :
                List.of(folder.resolve(PLAN), letters.selected(), letters.left(), letters.failed(), letters.all())) {
            Files.deleteIfExists(file);
        }
    }

    Path all() {
        return folder.resolve("all.jsonl");
    }
}
