package io.thalweg.bench.advertising;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the mapping from ads to campaigns as CSV. The published benchmark joins its events with this table. */
final class AdTable {
    static final String AD = "ad_id";
    static final String CAMPAIGN = "campaign_id";

    private AdTable() {}

    /** Writes {@code ads.csv}: a line with the names of the columns, then one line for each ad. */
    static Path write(Path folder, AdLoad load) throws IOException {
        Path file = folder.resolve("ads.csv");
        int[] campaignOf = load.campaignOfAd();
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
            out.write(AD + "," + CAMPAIGN + "\n");
            for (int ad = 0; ad < campaignOf.length; ad++) {
                out.write(AdIds.ad(ad) + "," + AdIds.campaign(campaignOf[ad]) + "\n");
            }
        }
        return file;
    }
}
