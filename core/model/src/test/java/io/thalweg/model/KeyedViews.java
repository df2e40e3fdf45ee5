package io.thalweg.model;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedRows;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import io.thalweg.model.view.ValueType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** Keyed views for tests, and rows of them. */
public final class KeyedViews {
    private static final Path FOLDER = Path.of("src/test/resources/keyed");

    private KeyedViews() {}

    public static FeatureView campaigns() {
        return Definitions.load(List.of(FOLDER.resolve("campaign_views.yaml")))
                .views()
                .get(0);
    }

    public static FeatureView everyMeasure() {
        return Definitions.load(List.of(FOLDER.resolve("every_measure.yaml")))
                .views()
                .get(0);
    }

    /** Returns the view of every measure with other entities. */
    public static FeatureView withEntities(String entities) {
        String text = text("every_measure.yaml");
        String head = text.substring(0, text.indexOf("entities:"));
        String tail = text.substring(text.indexOf("measures:"));
        return Definitions.parse(head + "entities: " + entities + "\n" + tail, "t.yaml")
                .views()
                .get(0);
    }

    public static String text(String name) {
        try {
            return Files.readString(FOLDER.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates rows as the kernel computes them from random events. */
    public static KeyedRowBlock rows(FeatureView view, List<List<Object>> keys, Finality finality, Random random) {
        KeyedPlan plan = KeyedPlan.of(view);
        KeyCodec codec = new KeyCodec(view);
        KeyedPanes shard = new KeyedPanes(plan.spec(), 0);
        int columns = plan.inputs().stream().mapToInt(KeyedPlan.Input::columns).sum();
        for (List<Object> key : keys) {
            int events = 1 + random.nextInt(4);
            long[] panes = new long[events];
            long[] matches = new long[events];
            long[][] inputs = new long[columns][events];
            int[] of = new int[events];
            for (int e = 0; e < events; e++) {
                panes[e] = random.nextInt(3);
                matches[e] = random.nextInt(1 << plan.filters().size());
                for (KeyedPlan.Input input : plan.inputs()) {
                    for (int c = input.column(); c < input.column() + input.columns(); c++) {
                        inputs[c][e] = input.kind() == KeyedPlan.Kind.DOUBLE
                                ? Double.doubleToRawLongBits(
                                        random.nextGaussian() * (random.nextInt(5) == 0 ? 1e308 : 10))
                                : random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(-9, 10);
                    }
                }
            }
            boolean bytes = codec.form() == KeyForm.BYTES;
            shard.accumulate(new KeyedBlock(
                    codec.form() == KeyForm.PAIR ? new long[] {codec.high(key)} : null,
                    bytes ? null : new long[] {codec.low(key)},
                    bytes ? new byte[][] {codec.bytes(key)} : null,
                    of,
                    panes,
                    matches,
                    inputs));
        }
        KeyedRows rows = new KeyedRows(plan.spec());
        for (long end = 1; end <= 3; end++) {
            rows.clear();
            while (shard.fire(end, rows)) {
                // to the last range
            }
        }
        long sequence = finality == Finality.FINAL ? 0 : random.nextLong(1L << random.nextInt(1, 63));
        return KeyedRowBlock.of(
                new BlockHead(view.qualifiedName(), 17, new RowOrder(180_000, finality, sequence)),
                rows,
                0,
                rows.rows());
    }

    public static List<Object> key(FeatureView view, Random random) {
        return view.group().stream().map(field -> value(field.type(), random)).toList();
    }

    private static Object value(ValueType type, Random random) {
        return switch (type) {
            case STRING -> random.nextInt(6) == 0 ? "é\n\"\ud800" + random.nextInt(9) : "c" + random.nextInt(1_000);
            case INT64 -> random.nextBoolean() ? random.nextLong() : (Object) (long) random.nextInt(-5, 5);
            case BOOL -> random.nextBoolean();
            case UUID -> new java.util.UUID(random.nextLong(), random.nextLong()).toString();
        };
    }
}
