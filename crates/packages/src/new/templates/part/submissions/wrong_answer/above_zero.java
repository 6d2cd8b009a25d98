/** Takes the first number if no part has a sum above zero. */

import java.io.IOException;
import java.util.StringTokenizer;

public class AboveZero {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        long here = 0, best = 0;
        int start = 1, first = 1, last = 1;
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
