package io.thalweg.cli;

import picocli.CommandLine.Command;

/** {@code thalweg log}: the feature logs of views. */
@Command(name = "log", description = "Shows, exports and compacts the feature logs of views.")
final class LogCommand {}
