package io.thalweg.qalm.registry;

import java.time.Instant;

/**
 * The rules in force.
 *
 * @param version the version of the rules; 0 until the first edit
 * @param author the author of the last edit: a person's name, {@code file} or {@code control}; {@code nobody} before the first
 * @param since when they took effect
 * @param rules the rules themselves
 */
public record InForce(long version, String author, Instant since, Rules rules) {}
