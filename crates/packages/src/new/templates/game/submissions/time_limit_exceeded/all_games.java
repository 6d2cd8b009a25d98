/** Exponential time: plays every game to its end. */

import java.io.IOException;
import java.util.Arrays;
import java.util.StringTokenizer;

public class AllGames {
    static int[] row;

    public static void main(String[] arguments) throws IOException {
        var words = new StringTokenizer(new String(System.in.readAllBytes()));
        int n = Integer.parseInt(words.nextToken());
        row = new int[n];
        for (int i = 0; i < n; i++) {
            row[i] = Integer.parseInt(words.nextToken());
        }
        System.out.println((Arrays.stream(row).sum() + lead(0, n - 1)) / 2);
    }

    /** By how much the player to move is ahead at the end, if the coins from left to right are left. */
    static int lead(int left, int right) {
        if (left == right) {
            return row[left];
        }
        return Math.max(row[left] - lead(left + 1, right), row[right] - lead(left, right - 1));
    }
}
