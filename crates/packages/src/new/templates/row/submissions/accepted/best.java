/** Linear time: the best part that ends here is the best one that ended before, if that helps, and this number. */

import java.io.IOException;
import java.util.StringTokenizer;

public class Best {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        long here = Long.parseLong(words.nextToken());
        long best = here;
        for (int i = 1; i < n; i++) {
            here = Math.max(here, 0) + Long.parseLong(words.nextToken());
            best = Math.max(best, here);
        }
        System.out.println(best);
    }
}
