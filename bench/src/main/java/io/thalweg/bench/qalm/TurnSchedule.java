package io.thalweg.bench.qalm;

/**
 * Determines which of several systems gets the load: back and forth, {@code 0 1 1 0 0 1 …}, so that drift does not favour any
 * system.
 *
 * @param systems the number of systems
 * @param seconds the duration of a turn
 */
record TurnSchedule(int systems, double seconds) {
    /** Returns the turn at a time; negative in the warm-up. */
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
