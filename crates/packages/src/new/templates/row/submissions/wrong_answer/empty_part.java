/** Takes a part without numbers for the best one if all numbers are negative. */

import java.io.IOException;
import java.util.StringTokenizer;

public class EmptyPart {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        long here = 0, best = 0;
        for (int i = 0; i < n; i++) {
            here = Math.max(here + Long.parseLong(words.nextToken()), 0);
            best = Math.max(best, here);
        }
        System.out.println(best);
    }
}
