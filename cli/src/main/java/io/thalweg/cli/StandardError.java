package io.thalweg.cli;

import java.io.FileDescriptor;
import java.lang.reflect.Field;

/**
 * Takes the real standard error back. The launcher hands java a filtered one, because java itself prints a warning about the
 * vector module that no option silences, and the real one as the descriptor that {@code thalweg.stderr} names. The program
 * writes to that directly: a terminal stays a terminal, and nothing is still on its way when the process has ended.
 */
final class StandardError {
    private StandardError() {}

    /** To be called before anything is printed. Without the launcher, or where java refuses, standard error stays as it is. */
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
            // The filtered standard error does too.
            System.clearProperty("thalweg.stderr");
        }
    }
}
