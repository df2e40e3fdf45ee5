package io.thalweg.qalm;

/**
 * One caller at one endpoint since its first call.
 *
 * @param caller its name, or {@code other} for all beyond the first thousand
 * @param criticality of its last call
 * @param admitted calls worked on
 * @param shed calls that the server refused by choice
 * @param neverDrop calls that arrived as level 0 or 1
 * @param demoted the never-drop calls beyond its budget
 * @param learnedPerSecond its learned budget; infinite if none is known
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
