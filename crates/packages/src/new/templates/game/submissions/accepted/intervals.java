/** Quadratic time: by how much the player to move is ahead at the end, for every interval of the row. */

import java.io.IOException;
import java.util.Arrays;
import java.util.StringTokenizer;

public class Intervals {
    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        int[] row = new int[n];
        for (int i = 0; i < n; i++) {
            row[i] = Integer.parseInt(words.nextToken());
        }
        // lead[start] is for the interval of the present length that begins there.
        int[] lead = row.clone();
        for (int length = 2; length <= n; length++) {
            for (int start = 0; start + length <= n; start++) {
                int left = row[start] - lead[start + 1];
                int right = row[start + length - 1] - lead[start];
                lead[start] = Math.max(left, right);
            }
        }
        System.out.println((Arrays.stream(row).sum() + lead[0]) / 2);
    }
}
