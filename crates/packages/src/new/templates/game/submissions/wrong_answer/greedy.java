/** Both players always take the larger coin. */

import java.io.IOException;
import java.util.StringTokenizer;

public class Greedy {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        int[] row = new int[n];
        for (int i = 0; i < n; i++) {
            row[i] = Integer.parseInt(words.nextToken());
        }
        int left = 0, right = n - 1;
        int[] totals = {0, 0};
        for (int turn = 0; turn < n; turn++) {
            totals[turn % 2] += row[left] > row[right] ? row[left++] : row[right--];
        }
        System.out.println(totals[0]);
    }
}
