package io.thalweg.jobs.kafka.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

class BrokerContactTest {
    private static final String LOST = "Kafka at b:9092 does not answer; the job continues where it was when it does";
    private static final String FOUND = "Kafka at b:9092 answers again";

    private final List<String> reports = new ArrayList<>();
    private final BrokerContact contact = new BrokerContact("b:9092", reports::add);

    @Test
    void failed_severalObservers_isReportedOnceAndSoIsTheReturnOfTheLast() {
        contact.answered("reader");
        contact.failed("reader", noAnswer());
        contact.failed("reader", noAnswer());
        contact.failed("probe", noAnswer());
        assertThat(reports).containsExactly(LOST);
        contact.answered("reader");
        assertThat(reports).containsExactly(LOST);
        contact.answered("probe");
        contact.answered("probe");
        assertThat(reports).containsExactly(LOST, FOUND);
    }

    /** This happens when the job restarts for another reason while the broker is down. */
    @Test
    void gone_whileLost_isNoReturn() {
        contact.failed("reader", noAnswer());
        contact.gone("reader");
        assertThat(reports).containsExactly(LOST);
        contact.failed("reader after the restart", noAnswer());
        assertThat(reports).containsExactly(LOST);
        contact.answered("reader after the restart");
        assertThat(reports).containsExactly(LOST, FOUND);
    }

    @Test
    void failed_withAnErrorThatTheBrokerSent_isAnAnswer() {
        contact.failed("reader", new TopicAuthorizationException("not allowed"));
        assertThat(reports).isEmpty();
        contact.failed("reader", noAnswer());
        contact.failed("reader", new TopicAuthorizationException("not allowed"));
        assertThat(reports).containsExactly(LOST, FOUND);
    }

    private static TimeoutException noAnswer() {
        return new TimeoutException("no answer");
    }
}
