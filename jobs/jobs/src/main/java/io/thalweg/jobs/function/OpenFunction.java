package io.thalweg.jobs.function;

import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordFault;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.io.Closeable;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open user function.
 *
 * <p><b>Threads.</b> One.
 */
public final class OpenFunction implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFunction.class);

    private final FunctionClasses classes;
    private final RowFunction function;
    private final Struct table;
    private final RowShape eventShape;
    private final RowShape tableShape;

    private OpenFunction(FunctionClasses classes, RowFunction function, Struct event, Struct table) {
        this.classes = classes;
        this.function = function;
        this.table = table;
        eventShape = RowShape.of(event, table);
        tableShape = RowShape.of(table);
    }

    /**
     * Loads and opens a function.
     *
     * @param job the id of the job in this process; its subtasks share classes
     * @param jars the jars of {@code transform}
     * @param event the fields of the events passed to it
     * @throws SchemaException if it cannot be loaded or opened; the message names the key, the class, the jars and what to do
     */
    public static OpenFunction open(String job, Transform transform, FunctionJars jars, Struct event) {
        FunctionClasses classes = FunctionClasses.open(job, jars);
        RowFunction function = null;
        try {
            RowFunction created = created(transform, classes.loader());
            function = created;
            within(classes.loader(), transform, "transform.config: open of", () -> {
                created.open(transform.config());
                return true;
            });
            Struct table = within(
                    classes.loader(),
                    transform,
                    "transform.class: schema of",
                    () -> created.schema(event).checked());
            return new OpenFunction(classes, created, event, table);
        } catch (RuntimeException | Error e) {
            close(classes, function);
            throw e;
        }
    }

    private static RowFunction created(Transform transform, ClassLoader loader) {
        Class<?> found = loaded(transform, loader);
        if (!RowFunction.class.isAssignableFrom(found)) {
            throw new SchemaException(
                    "transform.class: %s must implement %s".formatted(transform.text(), RowFunction.class.getName()));
        }
        try {
            var constructor = found.asSubclass(RowFunction.class).getConstructor();
            return within(loader, transform, "transform.class: the constructor of", constructor::newInstance);
        } catch (NoSuchMethodException e) {
            throw new SchemaException(
                    "transform.class: %s must be public, not abstract, and have a public constructor without parameters"
                            .formatted(transform.text()),
                    e);
        }
    }

    private static Class<?> loaded(Transform transform, ClassLoader loader) {
        try {
            return Class.forName(transform.className(), false, loader);
        } catch (ClassNotFoundException e) {
            throw new SchemaException(
                    "transform.class: there is no class %s; correct the name, which has the package in front, or add its jar to"
                                    .formatted(transform.text())
                            + " transform.jars",
                    e);
        } catch (LinkageError e) {
            throw new SchemaException(
                    "transform.class: %s cannot be loaded: %s%s"
                            .formatted(transform.text(), Failure.text(e), Failure.advice(e)),
                    e);
        }
    }

    /** Calls the function with its class loader as context class loader and describes its failure. */
    private static <T> T within(ClassLoader loader, Transform transform, String what, Callable<T> call) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.call();
        } catch (Throwable e) {
            Failure failure = Failure.of(e);
            throw new SchemaException(
                    "%s %s failed: %s%s".formatted(what, transform.text(), failure.text(), failure.advice()),
                    failure.cause());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** The columns of the table. */
    public Struct table() {
        return table;
    }

    /** The shape of the event rows passed to it. */
    public RowShape eventShape() {
        return eventShape;
    }

    /**
     * Calls the function.
     *
     * @param event a row of {@link #eventShape}
     * @param rows receives the rows emitted during the call; throws {@link IllegalArgumentException} for a row that does not fit
     * @param isCancelled whether the task is being cancelled, which interrupts the call
     * @return how many rows were emitted; 0 if the event is dropped
     * @throws BadRecordException if the function rejects the event or fails. Rows passed to {@code rows} are then void
     */
    public int apply(Row event, Consumer<Row> rows, BooleanSupplier isCancelled) {
        FunctionOutput answer = new FunctionOutput(tableShape, rows);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classes.loader());
        try {
            function.apply(event, answer);
            return answer.finish();
        } catch (BadRecordException e) {
            throw e;
        } catch (Throwable e) {
            throw new BadRecordException(
                    RecordFault.FAILED, Failure.of(e, isCancelled).text());
        } finally {
            answer.close();
            thread.setContextClassLoader(before);
            if (Thread.interrupted() && isCancelled.getAsBoolean()) {
                thread.interrupt(); // otherwise the function interrupted itself, which must not affect the task
            }
        }
    }

    @Override
    public void close() {
        close(classes, function);
    }

    private static void close(FunctionClasses classes, @Nullable RowFunction function) {
        try (classes) {
            if (function != null) {
                function.close();
            }
        } catch (Throwable e) {
            LOG.warn("A function could not be closed: {}", Failure.of(e).text());
        }
    }
}
