package io.thalweg.cli;

import java.io.FileDescriptor;
import java.lang.reflect.Field;

/**
 * Restores the real standard error. The launcher gives java a filtered one, because java prints a warning about the vector
 * module that no option silences, and passes the real one as the descriptor that {@code thalweg.stderr} names. The program
 * writes to that directly: a terminal stays a terminal, and no output is still in the filter when the process ends.
 */
final class StandardError {
    private StandardError() {}

    /** Call this before anything is printed. Without the launcher, or if java refuses, standard error stays as it is. */
    static void takeBack() {
        Integer descriptor = Integer.getInteger("thalweg.stderr");
        if (descriptor != null) {
            redirect(descriptor);
        }
    }

    private static void redirect(int descriptor) {
        try {
            Field number = FileDescriptor.class.getDeclaredField("fd");
            number.setAccessible(true);
            number.setInt(FileDescriptor.err, descriptor);
        } catch (ReflectiveOperationException | RuntimeException e) {
            // The filtered standard error works as well.
            System.clearProperty("thalweg.stderr");
        }
    }
}
