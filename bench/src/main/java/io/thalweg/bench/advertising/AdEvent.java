package io.thalweg.bench.advertising;

import java.io.Serializable;

/** An event as an object, for systems that process events one by one; public and mutable, as Flink requires of POJOs. */
public final class AdEvent implements Serializable {
    public long userId;
    public long pageId;
    public int adId;
    public int adType;
    public int eventType;
    public long eventTimeMs;
    public int ipAddress;

    /** Required by Flink. */
    public AdEvent() {}

    AdEvent(AdLoad load, long event) {
        long draw = AdLoad.draw(event);
        userId = event;
        pageId = draw;
        adId = load.ad(draw);
        adType = (int) (draw & 3);
        eventType = AdLoad.type(draw);
        eventTimeMs = load.timeMs(event);
        ipAddress = 0x0A000001;
    }
}
