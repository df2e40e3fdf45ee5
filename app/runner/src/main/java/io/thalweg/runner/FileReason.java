package io.thalweg.runner;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Explains why a file cannot be used. The exceptions of {@code java.nio.file} often have a path as their only message. */
public final class FileReason {
    private FileReason() {}

    /** Returns the reason in one line, without a class name. The file comes first if the exception names it. */
    public static String of(IOException e) {
        String words = words(e);
        String file = e instanceof FileSystemException failed ? failed.getFile() : null;
        return file == null ? words : file + ": " + words;
    }

    private static String words(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it exists already";
        }
        if (e instanceof NotDirectoryException) {
            return "it is not a folder";
        }
        if (e instanceof EOFException) {
            return "the data end too early";
        }
        if (e instanceof CharacterCodingException) {
            return "it must be UTF-8";
        }
        return e instanceof FileSystemException failed ? reason(failed.getReason()) : given(e.getMessage());
    }

    private static String reason(@Nullable String reason) {
        return reason == null ? given(null) : reason.toLowerCase(Locale.ROOT);
    }

    private static String given(@Nullable String message) {
        return message == null || message.isBlank()
                ? "the system gives no reason"
                : message.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
