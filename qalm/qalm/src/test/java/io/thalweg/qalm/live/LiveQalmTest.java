package io.thalweg.qalm.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.Refusal;
import io.thalweg.testing.Await;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LiveQalmTest {
    private static final QalmConfig ONE = new QalmConfig(1, 1);

    @AfterEach
    void clear() {
        System.clearProperty(LiveQalm.SWITCH);
    }

    private static final class Recorded extends Call {
        final CompletableFuture<String> fate = new CompletableFuture<>();

        Recorded(LiveQalm live, long timeoutNanos) {
            super("anybody", null, false, live.qalm().nanoTime(), timeoutNanos, 0, 1);
            live.qalm().lane("endpoint").submit(this);
        }

        @Override
        protected void admitted() {
            fate.complete("admitted");
        }

        @Override
        protected void refused(Refusal reason) {
            fate.complete(reason.name());
        }
    }

    @Test
    void start_aCallWaitsTooLong_isDecidedByTheTicks() throws Exception {
        try (LiveQalm live = LiveQalm.start(ONE, Policy.DEFAULT)) {
            Recorded running = new Recorded(live, Call.NO_DEADLINE);
            Recorded waits = new Recorded(live, 50_000_000);
            assertThat(running.fate).isCompletedWithValue("admitted");
            assertThat(Await.get(waits.fate)).isEqualTo("EXPIRED");
            running.release(Outcome.SUCCESS);
        }
    }

    @Test
    void start_switchedOffByProperty_isOffWhateverThePolicyDemands() {
        System.setProperty(LiveQalm.SWITCH, "off");
        try (LiveQalm live = LiveQalm.start(ONE, Policy.DEFAULT)) {
            assertThat(live.qalm().lane("endpoint").snapshot().mode()).isEqualTo(Mode.OFF);
            assertThat(live.registry()).isEmpty();
        }
    }

    @Test
    void start_switchedToNonsense_saysWhatIsPossible() {
        System.setProperty(LiveQalm.SWITCH, "no");
        assertThatThrownBy(() -> LiveQalm.start(ONE, Policy.DEFAULT))
                .hasMessage("the system property thalweg.qalm must be off, shadow or on, was no; on is the default");
    }
}
