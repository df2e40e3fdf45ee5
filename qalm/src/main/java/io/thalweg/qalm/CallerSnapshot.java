package io.thalweg.qalm;

/**
 * One caller at one endpoint since it was first seen.
 *
 * @param caller its name, or {@code other} for all beyond the first thousand
 * @param criticality of its last call
 * @param admitted calls worked on
 * @param shed calls that the server chose to refuse
 * @param neverDrop calls that came as level 0 or 1
 * @param demoted those of them beyond its budget
 * @param learnedPerSecond the budget that was learned for it; infinite if none has been
 * @param heaviness 0 within its fair share to 3 above four times of it; the heavier are shed first
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
