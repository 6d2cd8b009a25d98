/** Linear time: a part begins anew after a sum below zero. */

import java.io.IOException;
import java.util.StringTokenizer;

public class BestPart {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        long here = 0, best = Long.MIN_VALUE;
        int start = 1, first = 0, last = 0;
        for (int end = 1; end <= n; end++) {
            if (here < 0) {
                here = 0;
                start = end;
            }
            here += Long.parseLong(words.nextToken());
            if (here > best) {
                best = here;
                first = start;
                last = end;
            }
        }
        System.out.println(first + " " + last);
    }
}
