package io.thalweg.bench.qalm;

/**
 * Which of several systems has the load: forth and back, {@code 0 1 1 0 0 1 …}, so that drift favours no system.
 *
 * @param systems how many there are
 * @param seconds how long a turn lasts
 */
record TurnSchedule(int systems, double seconds) {
    /** The turn at a time; below zero in the warm-up. */
    int at(double second) {
        return (int) Math.floor(second / seconds);
    }

    int system(double second) {
        return ofTurn(at(second));
    }

    int ofTurn(int turn) {
        int place = Math.floorMod(turn, 2 * systems);
        return place < systems ? place : 2 * systems - 1 - place;
    }
}
