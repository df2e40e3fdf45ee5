package io.thalweg.qalm.registry;

import java.time.Instant;

/**
 * The document in force.
 *
 * @param version of it; 0 if nobody has ever said anything
 * @param author who put it in force: a person's name, or {@code file}
 * @param since when
 * @param rules what it says
 */
public record InForce(long version, String author, Instant since, Rules rules) {}
