package io.thalweg.qalm;

/**
 * Everything that operators decide: how each lane behaves and who its callers are. Answers may change from one document to the
 * next, never within one: a lane asks once per document for its endpoint and keeps the answer.
 *
 * <p><b>Threads.</b> Implementations are immutable.
 */
public interface Policy {
    /** The same for everybody: {@link LaneConfig#DEFAULT} and level 2. */
    Policy DEFAULT = endpoint -> new EndpointPolicy(LaneConfig.DEFAULT, caller -> CallerPolicy.DEFAULT);

    /** What holds for an endpoint, known or not. */
    EndpointPolicy endpoint(String endpoint);
}
