package io.thalweg.runner;

/** An expected failure. It is reported as one line and a hint, without a stack trace, and the process ends with the exit code. */
public final class UserError extends RuntimeException {
    /** Exit code: the command failed. */
    public static final int FAILED = 1;
    /** Exit code: wrong use of the command, or a wrong definition. */
    public static final int USAGE = 2;
    /** Exit code: a bounded run was interrupted. */
    public static final int INTERRUPTED = 130;

    private static final long serialVersionUID = 1;

    private final String hint;
    private final int exitCode;

    /**
     * Creates a failure with its own exit code.
     *
     * @param message what is wrong, without a prefix
     * @param hint what to do; empty = none
     */
    public UserError(String message, String hint, int exitCode) {
        super(message);
        this.hint = hint;
        this.exitCode = exitCode;
    }

    /** Creates a failure of a valid command: exit code 1. */
    public static UserError failed(String message, String hint) {
        return new UserError(message, hint, FAILED);
    }

    /** Creates a failure for wrong use of the command: exit code 2. */
    public static UserError usage(String message, String hint) {
        return new UserError(message, hint, USAGE);
    }

    /** Adds the cause, which {@code --debug} shows. */
    public UserError causedBy(Throwable cause) {
        initCause(cause);
        return this;
    }

    /** The remedy; empty if there is none. */
    public String hint() {
        return hint;
    }

    /** The exit code of the process. */
    public int exitCode() {
        return exitCode;
    }
}
