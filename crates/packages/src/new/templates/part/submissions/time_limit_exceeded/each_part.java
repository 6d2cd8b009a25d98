/** Cubic time: adds up every part of the row from scratch. */

import java.io.IOException;
import java.util.StringTokenizer;

public class EachPart {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        long[] row = new long[n];
        for (int i = 0; i < n; i++) {
            row[i] = Long.parseLong(words.nextToken());
        }
        long best = Long.MIN_VALUE;
        int first = 0, last = 0;
        for (int start = 0; start < n; start++) {
            for (int end = start + 1; end <= n; end++) {
                long sum = 0;
                for (int i = start; i < end; i++) {
                    sum += row[i];
                }
                if (sum > best) {
                    best = sum;
                    first = start + 1;
                    last = end;
                }
            }
        }
        System.out.println(first + " " + last);
    }
}
