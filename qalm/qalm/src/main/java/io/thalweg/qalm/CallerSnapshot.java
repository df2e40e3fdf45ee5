package io.thalweg.qalm;

/**
 * The state of one caller at one endpoint. Counts start with its first call.
 *
 * @param caller its name, or {@code other} for all callers beyond the first thousand
 * @param criticality the criticality of its last call
 * @param admitted admitted calls
 * @param shed calls that the server shed
 * @param neverDrop calls that arrived as level 0 or 1
 * @param demoted never-drop calls beyond its budget
 * @param learnedPerSecond its learned budget; infinite if unknown
 * @param heaviness from 0, within its fair share, to 3, above four times its fair share; heavier callers are shed first
 */
public record CallerSnapshot(
        String caller,
        Criticality criticality,
        long admitted,
        long shed,
        long neverDrop,
        long demoted,
        double learnedPerSecond,
        int heaviness) {}
